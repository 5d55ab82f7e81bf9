import type {
  CancelScheduledOutput,
  GetOutcomeOutput,
  PlaceScheduledOutput,
  ScheduleOutput,
  TriggerAndWaitOutput,
  TriggerOutput,
} from './actions/call/callOutput';
import type { PruneOutput } from './actions/callLog/prune.operation';
import type { ReportOutput } from './actions/callLog/report';
import type { CreateOutput } from './actions/campaign/campaignOutput';
import type { ControlOutput, StartOutput } from './actions/campaign/control';
import type { FiredItem } from './trigger/whatFires';

/**
 * The simplified output of each operation, by `<resource>/<operation>`. From it the build makes the
 * output that the editor shows before a node has run.
 */
export interface OperationOutputs {
  'call/trigger': TriggerOutput;
  'call/triggerAndWait': TriggerAndWaitOutput;
  'call/getOutcome': GetOutcomeOutput;
  'call/schedule': ScheduleOutput;
  'call/placeScheduled': PlaceScheduledOutput;
  'call/cancelScheduled': CancelScheduledOutput;
  'callLog/prune': PruneOutput;
  'callLog/report': ReportOutput;
  'campaign/create': CreateOutput;
  'campaign/start': StartOutput;
  'campaign/pause': ControlOutput;
  'campaign/resume': StartOutput;
  'campaign/stop': ControlOutput;
}

/** The simplified output of the trigger. */
export type TriggerNodeOutput = FiredItem;
