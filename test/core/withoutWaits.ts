import { leapOverWaits } from '../leapOverWaits';

leapOverWaits();
