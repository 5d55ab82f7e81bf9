/** One switch for each point on which the interface contradicts itself or stays silent. */
export interface Switches {
  /** Whether the ids of calls are numbers or strings of digits. */
  ids: 'number' | 'string';
  /** Whether the ids of campaigns are numbers or strings of digits. */
  campaignIds: 'number' | 'string';
  /** How the id of a call is written: snake in trigger and camel in outcome, or always one way. */
  orderIdField: 'documented' | 'camel' | 'snake';
  /** The same for the status of a call. */
  callStatusField: 'documented' | 'camel' | 'snake';
  /** How the state of a campaign is named in control answers. */
  stateField: 'state' | 'status';
  /** How the label of a campaign is named in answers. */
  nameField: 'name' | 'campaignName';
  /** The unit of the times in a transcript. */
  transcriptTime: 'ms' | 's';
  /** How outcome labels are capitalised. */
  labels: 'documented' | 'lower' | 'upper';
  /** Which of the 400 checks comes first, or that script variables are not checked at all. */
  checks: 'variablesFirst' | 'phoneFirst' | 'scriptOnly';
  /** Whether campaigns can be stopped. */
  stop: 'accepted' | 'refused';
}

/** All positions of every switch; the first is its primary documented form. */
export const switchPositions: { readonly [K in keyof Switches]: readonly Switches[K][] } = {
  ids: ['number', 'string'],
  campaignIds: ['number', 'string'],
  orderIdField: ['documented', 'camel', 'snake'],
  callStatusField: ['documented', 'camel', 'snake'],
  stateField: ['state', 'status'],
  nameField: ['name', 'campaignName'],
  transcriptTime: ['ms', 's'],
  labels: ['documented', 'lower', 'upper'],
  checks: ['variablesFirst', 'phoneFirst', 'scriptOnly'],
  stop: ['accepted', 'refused'],
};

/** Every switch in its primary position. */
export function documentedSwitches(): Switches {
  return {
    ids: 'number',
    campaignIds: 'number',
    orderIdField: 'documented',
    callStatusField: 'documented',
    stateField: 'state',
    nameField: 'name',
    transcriptTime: 'ms',
    labels: 'documented',
    checks: 'variablesFirst',
    stop: 'accepted',
  };
}
