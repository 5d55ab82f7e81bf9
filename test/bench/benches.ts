import { campaign } from './campaign';
import { caps } from './caps';
import { dispatch } from './dispatch';
import { doNotCall } from './doNotCall';
import type { Bench } from './figure';
import { latency } from './latency';
import { growth } from './growth';
import { log } from './log';
import { prune, report } from './report';
import { rules } from './rules';
import { scheduled } from './scheduled';

/** All benchmarks, as the page shows them. */
export const BENCHES: Record<string, Bench> = {
  dispatch,
  log,
  rules,
  caps,
  doNotCall,
  report,
  prune,
  campaign,
  scheduled,
  latency,
  growth,
};
