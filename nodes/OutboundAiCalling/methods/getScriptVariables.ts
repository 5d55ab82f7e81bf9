import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { rememberInstanceUrl } from '../dataTables/instanceUrl';
import { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { readIdentifier } from '../service/identifier';
import { adviceForMissing, objectionToVariableName } from '../service/scriptVariables';

/** Short, because a person waits in front of the panel. */
const PATIENCE = { timeoutMs: 5_000, firstPauseMs: 250 };

const BY_HAND = 'add its variables under Additional Fields > More Variables.';

function notice(emptyFieldsNotice: string): ResourceMapperFields {
  return { fields: [], emptyFieldsNotice };
}

/**
 * The fields of "Script Variables", one for each placeholder of the chosen script. The service is
 * asked with a request that can never dial. When it cannot be asked, a notice says why.
 */
export async function getScriptVariables(
  this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
  rememberInstanceUrl(this.getInstanceBaseUrl());
  const chosen = this.getCurrentNodeParameter('scriptId');
  if (typeof chosen === 'string' && chosen.startsWith('=')) {
    return notice(`The script ID is an expression. For such a script, ${BY_HAND}`);
  }
  if (chosen === undefined || chosen === null) {
    return notice(`The script ID has no value yet. Run the nodes before this one, or ${BY_HAND}`);
  }
  const scriptId = readIdentifier(chosen);
  if (scriptId === undefined) {
    return notice('Enter a script ID: a field for each variable of the script is then shown here.');
  }
  return await this.getCredentials('outboundAiCallingApi')
    .then((credential) => CallingService.of(this, credential, PATIENCE))
    .then(async (service) => await service.askScriptVariables(scriptId))
    .then(
      (names) => {
        if (names === undefined) {
          return notice(`This script seems to need no variables. If it has any, ${BY_HAND}`);
        }
        const fields = names.filter((name) => !objectionToVariableName(name)).map(fieldOf);
        if (fields.length > 0) return { fields };
        const isCampaign = this.getCurrentNodeParameter('resource') === 'campaign';
        return notice(adviceForMissing(names, isCampaign ? 'campaign' : 'call'));
      },
      (error: unknown) =>
        notice(
          error instanceof CallingServiceError
            ? `${error.message}. ${error.advice}`
            : 'Choose a credential first: the script is then asked for its variables.',
        ),
    );
}

function fieldOf(name: string): ResourceMapperFields['fields'][number] {
  return {
    id: name,
    displayName: name,
    required: true,
    defaultMatch: false,
    canBeUsedToMatch: false,
    display: true,
    type: 'string',
  };
}
