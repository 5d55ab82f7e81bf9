import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { OF_WORKFLOW } from '../rules/hours';

/** Old names of zones that JavaScript still lists, with the names in n8n's own list. */
const RENAMED: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/**
 * The time zones that this n8n knows, that of the workflow first. n8n does not tell lists which
 * zone the workflow has, only the default for workflows that choose none.
 */
export async function getTimezones(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const names = Intl.supportedValuesOf('timeZone').map((name) => RENAMED[name] ?? name);
  return [
    {
      name: `Time Zone of the Workflow (${this.getTimezone()} If None Is Set)`,
      value: OF_WORKFLOW,
      description:
        "As chosen under Settings in the workflow's menu; where none is chosen, the one of this n8n",
    },
    ...[...new Set(['UTC', ...names])].sort().map((name) => ({ name, value: name })),
  ];
}
