import { groupBy } from '../../../nodes/OutboundAiCalling/collections';
import type { Books } from '../books';
import { type History, type Hours, numberOf } from '../history';
import { dayIn } from '../world/calendar';
import type { Ring } from '../world/service';
import { CUSTOMERS_ZONES } from './hours';
import { ABOUT_TO_RING_MS, type Check, clock, intents, rulesOf, wasDeleted } from './questions';

interface Cap {
  of(settings: History['settings']): number | undefined;
  /** The calls that count. */
  rings: Ring[];
  placeOf(ring: Ring): string;
  /** By which time zones a day may go. */
  zonesOf(hours: Hours | undefined, ofWorkflow: string): string[];
  /** How much of the cap a call has used by the time of another one that has the cap, too. */
  usedBy(one: Ring, by: number): number;
}

function capsOf(books: Books): Cap[] {
  // Nobody can count what the log was made to forget, nor for whom it was made to forget it.
  const counted = books.rings.filter(({ order }) => !wasDeleted(order, books));
  const named = counted.filter(({ order }) => !books.renumbered.has(order));
  // Whoever hands an outcome over has written it into the log.
  const told = new Map(books.fired.map((one) => [Number(one.item.orderId), one]));
  const isBefore = (one: Ring, by: number) => (one.at < by ? 1 : 0);
  const zonesOf: Cap['zonesOf'] = (hours, ofWorkflow) => [hours?.timezone ?? ofWorkflow];
  return [
    {
      of: ({ maxCallsPerDay }) => maxCallsPerDay,
      rings: counted,
      placeOf: ({ key }) => `with ${key}`,
      zonesOf,
      usedBy: isBefore,
    },
    {
      of: ({ maxCallsPerPersonPerDay }) => maxCallsPerPersonPerDay,
      rings: named,
      placeOf: ({ key, phone }) => `to ${phone} with ${key}`,
      zonesOf: (hours, ofWorkflow) =>
        hours?.isOfCustomers === true ? CUSTOMERS_ZONES : zonesOf(hours, ofWorkflow),
      usedBy: isBefore,
    },
    {
      of: ({ maxCostPerDay }) => maxCostPerDay,
      rings: counted,
      placeOf: ({ key }) => `for the costs of ${key}`,
      zonesOf,
      usedBy({ orderId }, by) {
        const { at = Infinity, item } = told.get(orderId) ?? {};
        return at < by - ABOUT_TO_RING_MS ? Number(item?.totalCallCost ?? 0) : 0;
      },
    },
  ];
}

/**
 * Nobody is called over a cap of the day. A day goes by the hours of the call, or by its workflow; that of a person
 * by their own clocks, if the hours do.
 */
export const nobodyOverCaps: Check = ({ begins }, books) => {
  const allAsked = intents(books);
  return capsOf(books).flatMap((kind) => {
    const { of, rings, placeOf, usedBy } = kind;
    const zonesOf = ({ order }: Ring) =>
      new Set(
        rulesOf(allAsked.get(order), ({ hours }) => kind.zonesOf(hours, begins.timezone))?.flat(),
      );
    const capOf = ({ order }: Ring) =>
      Math.max(...(rulesOf(allAsked.get(order), of) ?? [Infinity]));
    const isOver = (ring: Ring, same: Ring[]) => {
      const cap = capOf(ring);
      // A workflow without the cap may call between the count of one that has it and its call.
      const usedOf = (one: Ring) =>
        usedBy(one, capOf(one) <= cap ? ring.at : ring.at - ABOUT_TO_RING_MS);
      return same.reduce((sum, one) => sum + usedOf(one), 0) >= cap;
    };
    const capped = rings.filter((ring) => capOf(ring) < Infinity);
    const overIn = (zone: string) => {
      // Whoever calls goes by its own clock, and cannot know how long the request takes from then on.
      const placeOnDay = (ring: Ring) =>
        `${placeOf(ring)} ${dayIn(zone, ring.sentAt + ring.aheadMs)}`;
      const places = groupBy(rings, placeOnDay);
      return new Set(capped.filter((ring) => isOver(ring, places.get(placeOnDay(ring)) ?? [])));
    };
    const zones = new Set(capped.flatMap((ring) => [...zonesOf(ring)]));
    const over = new Map([...zones].map((zone) => [zone, overIn(zone)]));
    return capped
      .filter((ring) => [...zonesOf(ring)].every((zone) => over.get(zone)?.has(ring) === true))
      .map((ring) => {
        const what = `${numberOf(ring.order)} rang ${placeOf(ring)} at ${clock(books, ring.at)}`;
        return `${what}, over the cap of ${capOf(ring)} a day`;
      });
  });
};
