import { inSlices } from '../../nodes/OutboundAiCalling/contacts/inSlices';

describe('work in slices', () => {
  it('is done whole and in order, and lets timers and requests have their turn', async () => {
    const done: number[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await inSlices(Array(60).keys(), (element, index) => {
      expect(index).toBe(element);
      for (const until = performance.now() + 5; performance.now() < until;);
      done.push(element);
    });
    clearInterval(timer);
    expect(done).toEqual([...Array(60).keys()]);
    // 300 ms of work in slices of 15 ms and the element that ends each of them.
    expect(turns).toBeGreaterThan(5);
  });

  it('fails as the work fails', async () => {
    const work = () => {
      throw new Error('broken');
    };
    await expect(inSlices([1], work)).rejects.toThrow('broken');
    await expect(inSlices([], work)).resolves.toBeUndefined();
  });
});
