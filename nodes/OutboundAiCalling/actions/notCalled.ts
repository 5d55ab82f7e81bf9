import type { IDataObject } from 'n8n-workflow';

/** Not a mark in the items: the service's own body may say the same of something else. */
const notCalled = new WeakSet<IDataObject>();

/** Notes that an item is about somebody who was surely not called. */
export function asNotCalled(item: IDataObject): IDataObject {
  notCalled.add(item);
  return item;
}

export function wasNotCalled(item: IDataObject): boolean {
  return notCalled.has(item);
}
