/**
 * One switch for each point on which the interface contradicts itself or stays silent. The first
 * position of each is its primary documented form.
 */
export const switchPositions = {
  /** Whether ids are numbers or strings of digits. */
  ids: ['number', 'string'],
  /** How the id of a call is written: as documented (snake in trigger, camel in outcome), or one way. */
  orderIdField: ['documented', 'camel', 'snake'],
  /** The same for the status of a call. */
  callStatusField: ['documented', 'camel', 'snake'],
  /** How the state of a campaign is named in control answers. */
  stateField: ['state', 'status'],
  /** How the label of a campaign is named in answers. */
  nameField: ['name', 'campaignName'],
  /** The unit of the times in a transcript. */
  transcriptTime: ['ms', 's'],
  /** How outcome labels are capitalised. */
  labels: ['documented', 'lower', 'upper'],
  /** Which of the 400 checks of a trigger request comes first. */
  checks: ['variablesFirst', 'phoneFirst'],
  /** Whether campaigns can be stopped. */
  stop: ['accepted', 'refused'],
} as const;

export type Switches = {
  -readonly [Name in keyof typeof switchPositions]: (typeof switchPositions)[Name][number];
};

/** Every switch in its primary position. */
export function documentedSwitches(): Switches {
  return {
    ids: 'number',
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
