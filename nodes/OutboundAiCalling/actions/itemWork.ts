import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Called } from '../nodeError';
import type { OperationExecution } from './execution';
import type { ItemParameters } from './itemParameters';
import type { Remembered } from './memory/remembered';
import type { RequestIdentity } from './memory/request';

/** Everything that an operation works with for one item. */
export interface ItemExecution extends OperationExecution {
  /** Performs a request once, and knows whether an earlier try has done so. */
  remembered: Remembered;
  /** Notes an order id: errors and logs name it also when the item fails later. */
  notePlaced(orderId: number): void;
  noteStarted(campaignId: number): void;
  /** Call this when the item has failed: no other is begun, unless the node continues on error. */
  halt(): void;
}

export interface ReadItem<Request> {
  request: Request;
  remembered: Remembered;
}

export interface ItemWork<Request> {
  /** Reads and checks the parameters of an item; nothing is sent before all items are read. */
  read(parameters: ItemParameters): Request;
  /** Says which requests are the same, when a request must not be repeated. */
  identity?(request: Request, execution: OperationExecution): RequestIdentity;
  /** Whether performing items calls people: errors say whom this and earlier tries have called. */
  calls?: boolean;
  /** How an error begins after these failures, which have called nobody, of this many items. */
  nobodyCalled?: (failures: unknown[], items: number) => Called;
  /** Checks how many requests there are, before anything is sent. */
  checkCount?(context: IExecuteFunctions, requests: number): void;
  /** Runs for all items before the first of them is performed. */
  beforehand?(execution: OperationExecution, items: Array<ReadItem<Request>>): Promise<void>;
  perform(request: Request, item: ItemExecution): Promise<IDataObject>;
  /**
   * Runs when all items are done, before anything is reported.
   *
   * @param items what the node gives; undefined when it fails
   */
  settle?(
    execution: OperationExecution,
    requests: Request[],
    items: INodeExecutionData[] | undefined,
  ): Promise<void>;
  /**
   * Reports when all items are done.
   *
   * @param unread how many people were not called because their items could not be read
   */
  afterwards?(context: IExecuteFunctions, requests: Request[], unread: number): void;
}
