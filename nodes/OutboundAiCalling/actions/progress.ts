import {
  campaignsCalling,
  peopleCalled,
  testPhoneRung,
  type Called,
  type NamedItems,
} from '../nodeError';
import { mayHaveBeenProcessed } from '../service/failure';
import { idsSentence } from './calledSentences';
import type { ItemWork } from './itemWork';
import { isCancelled } from './stopping';

/** The progress of items that call somebody. */
export class Progress {
  readonly placed = new Map<number, number>();
  /** The items that ring the test phone in place of a customer. */
  readonly testCalls = new Set<number>();
  readonly started: number[] = [];
  /** `isRepeated`: an earlier try has failed so, and this one only says it again. */
  readonly failed: Array<{ itemIndex: number; failure: unknown; isRepeated: boolean }> = [];

  get placedOrderIds(): number[] {
    return [...this.placed.values()];
  }

  constructor(
    readonly calls: boolean,
    readonly nobodyCalled: NonNullable<ItemWork<unknown>['nobodyCalled']>,
  ) {}

  get maybePlacedItems(): number[] {
    if (!this.calls) return [];
    return this.failed
      .filter(
        ({ itemIndex, failure }) => mayHaveBeenProcessed(failure) && !this.placed.has(itemIndex),
      )
      .map(({ itemIndex }) => itemIndex);
  }

  /** The failure that stopped the others; never one that only says that its item was stopped. */
  get first() {
    return this.failed.find(({ failure }) => !isCancelled(failure)) ?? this.failed[0];
  }

  calledFor(itemIndex: number, failure: unknown): Called {
    const orderId = this.placed.get(itemIndex);
    const isTest = this.testCalls.has(itemIndex);
    const was = isTest ? 'The test phone was rung' : 'The customer was called';
    if (orderId !== undefined) return `${was} (call ID ${orderId})`;
    if (!mayHaveBeenProcessed(failure)) return this.nobodyCalled([failure], 1);
    if (isTest) return testPhoneRung({ orderIds: [], maybePlaced: 1 });
    return 'Somebody may have been called';
  }

  get called(): Called {
    if (this.started.length > 0) return campaignsCalling(this.started.length);
    return peopleCalled(this.callsPlaced(false), this.callsPlaced(true));
  }

  private callsPlaced(areTests: boolean) {
    const counts = (item: number) => this.testCalls.has(item) === areTests;
    return {
      orderIds: [...this.placed].flatMap(([item, orderId]) => (counts(item) ? orderId : [])),
      maybePlaced: this.maybePlacedItems.filter(counts).length,
    };
  }

  /**
   * Everything that was set off, as sentences. Where nobody is called, also which other items have failed.
   *
   * @param but an item to leave out: the error is about it
   * @param items adds their names, where people's names may stand
   */
  sentences(but?: number, items?: NamedItems): string {
    const maybe = this.maybePlacedItems
      .filter((item) => item !== but)
      .map((item) => {
        const name = items?.nameOf(item);
        return name === undefined ? item : `${item} (${name})`;
      });
    const isAllRepeated = !this.calls && but !== undefined;
    const failed = this.failed.filter(({ failure }) => isAllRepeated && !isCancelled(failure));
    const others = failed.flatMap(({ itemIndex }) => (itemIndex === but ? [] : itemIndex));
    others.sort((a, b) => a - b);
    return [
      idsSentence('Campaigns that call people now:', this.started),
      idsSentence('Calls placed: call IDs at the service', this.placedOrderIds),
      idsSentence('Calls that may have been placed too: items', maybe),
      idsSentence('Items that failed too:', others),
    ]
      .filter(Boolean)
      .join(' ');
  }
}
