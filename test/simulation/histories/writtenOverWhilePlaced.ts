import { aHistory } from '../history';

/** A person takes a row for stuck whose request is under way, and writes `scheduled`: it does not ring once more. */
export const writtenOverWhilePlaced = aHistory({
  triggers: [{ process: 0 }],
  placingMs: 15_000,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 3_000 } },
    { do: 'place', process: 0, keepOnSeconds: 50, when: { at: 10_000 } },
    {
      do: 'edit',
      order: 1,
      cells: { status: 'scheduled' },
      where: { status: 'placing' },
      when: { at: 14_000 },
    },
    { do: 'place', process: 1, keepOnSeconds: 0, when: { at: 16_000 } },
  ],
});
