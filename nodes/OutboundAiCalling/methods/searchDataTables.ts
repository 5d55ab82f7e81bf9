import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { isBesideName } from '../dataTables/besideName';
import { DataTables } from '../dataTables/dataTables';
import { defined } from '../http/json';
import { nodeError } from '../nodeError';

/** The data tables that the n8n API key may see, for the editor's lists of tables. */
export async function searchDataTables(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const wanted = (filter ?? '').toLowerCase();
  return await DataTables.open(this)
    .then(async (tables) => await tables.page(paginationToken))
    .then(
      ({ entries, next }) => ({
        results: entries
          .filter(({ name }) => !isBesideName(name) && name.toLowerCase().includes(wanted))
          .map(({ id, name }) => ({ name, value: id })),
        ...defined({ paginationToken: next }),
      }),
      (failure: unknown) => {
        throw nodeError(this.getNode(), failure);
      },
    );
}
