import { IdRanges } from '../../nodes/OutboundAiCalling/callLog/ends/idRanges';
import { fc } from '../generators';

describe('ranges of ids', () => {
  it('join what follows each other', () => {
    const ranges = new IdRanges([[0, 10]]);
    ranges.add(12);
    ranges.add(13);
    expect(ranges.all()).toEqual([
      [0, 10],
      [12, 13],
    ]);
    ranges.add(11);
    expect(ranges.all()).toEqual([[0, 13]]);
    ranges.delete(5);
    expect(ranges.all()).toEqual([
      [0, 4],
      [6, 13],
    ]);
  });

  it('hold exactly what was added and not deleted, also through the text of a cell', () => {
    const step = fc.record({ from: fc.nat(30), length: fc.nat(5), isDeleted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const ids = new Set<number>();
        let ranges = new IdRanges();
        for (const { from, length, isDeleted } of steps) {
          for (let id = from; id <= from + length; id++) {
            if (isDeleted) ids.delete(id);
            else ids.add(id);
            if (isDeleted) ranges.delete(id);
          }
          if (!isDeleted) ranges.add(from, from + length);
          ranges = IdRanges.fromText(JSON.stringify(ranges.all()));
        }
        for (let id = 0; id < 40; id++) expect(ranges.has(id)).toBe(ids.has(id));
      }),
    );
  });

  it.each([null, '', 'x', '{}', '[[2,1]]'])('are empty when a cell holds %p', (text) => {
    expect(IdRanges.fromText(text).all()).toEqual([]);
  });
});
