import type { StoryLine } from '../books';
import type { World } from './world';

/** Notes what happens, for people. */
export class Teller {
  readonly story: StoryLine[] = [];
  /** What n8n's own log was told. */
  readonly warnings: StoryLine[] = [];

  /** @param tells whether there is a story, which takes room when millions of things happen */
  constructor(
    private readonly world: World,
    private readonly tells: boolean,
  ) {}

  /** Notes who does what now. */
  tell(who: string, what: string): void {
    if (this.tells) this.story.push({ at: this.world.now, who, what });
  }

  /** Notes what somebody writes into n8n's own log now. */
  warn(who: string, level: string, what: string): void {
    this.warnings.push({ at: this.world.now, who, what });
    this.tell(who, `writes into n8n's log (${level}): ${what}`);
  }
}
