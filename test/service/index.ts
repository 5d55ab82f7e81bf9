/** The emulated calling service. */
export {
  DEFAULT_SCRIPTS,
  startCallingService,
  type CallingService,
  type CallingServiceOptions,
} from './callingService';
export type { Call, NewCall, Outcome, Turn } from './call';
export type { Campaign, CampaignState, QueuedContact } from './campaign';
export { Faults, type Fault, type FaultKind } from './faults';
export { Seen, type ReceivedRequest, type Route } from './seen';
export { switchPositions, type Switches } from './switches';
