import type { Locator, Page } from 'playwright-core';

/** A rectangle in pixels of the page. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Nothing of this may be on a picture. */
const STRAY: Array<[selector: string, what: string]> = [
  ['.el-notification', 'a message that pops up'],
  ['.el-select-dropdown', 'an open list'],
  ['.el-tooltip__popper, [role="tooltip"], [data-reka-popper-content-wrapper]', 'a tooltip'],
  ['.el-skeleton, [class*="skeleton"], .el-loading-mask, [class*="spinner"]', 'something loading'],
];

/** Words that people never write. */
const NOT_WORDS = /\bundefined\b|\bNaN\b|\[object |Loading options/;

/** What an empty list asks for. */
const NO_CHOICE = /^(Select|Choose)/;

/** One thing that is drawn: what it says, and how much of that is to be seen. */
interface Drawn {
  text: string;
  area: Area;
  isCut: boolean;
  /** Whether more of it is below than is shown. */
  isScrolled: boolean;
  /** What stands in an empty field. */
  placeholder: string;
}

/** What a page gives of an element, as far as it is read here. */
interface PageElement {
  readonly innerText?: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly tagName: string;
  readonly childElementCount: number;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly ownerDocument: {
    defaultView: { getComputedStyle(one: PageElement): { overflowY: string } };
  };
  checkVisibility(options: object): boolean;
  getBoundingClientRect(): Area;
}

/** Reads, in the page, what the innermost elements say; everything it needs is within it. */
const readDrawn = (elements: unknown[]): Drawn[] =>
  (elements as PageElement[])
    .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      const isField = one.tagName === 'INPUT' || one.tagName === 'TEXTAREA';
      const { overflowY } = one.ownerDocument.defaultView.getComputedStyle(one);
      const isInnermost = one.childElementCount === 0;
      const isScrolled =
        overflowY !== 'visible' && one.clientHeight > 8 && one.scrollHeight > one.clientHeight + 8;
      const says = isField ? one.value : (isInnermost || isScrolled) && one.innerText;
      const [text = ''] = (says || '').trim().split('\n');
      return {
        text,
        area: { x, y, width, height },
        isCut:
          isInnermost &&
          text !== '' &&
          one.clientWidth > 0 &&
          one.scrollWidth > one.clientWidth + 1,
        isScrolled,
        placeholder: isField && text === '' ? (one.placeholder ?? '') : '',
      };
    })
    .filter(({ area }) => area.width > 1)
    .filter(({ text, placeholder, isScrolled }) => `${text}${placeholder}` !== '' || isScrolled);

const overlaps = (a: Area, b: Area) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const isWithin = (inner: Area, outer: Area) =>
  inner.x >= outer.x - 1 &&
  inner.y >= outer.y - 1 &&
  inner.x + inner.width <= outer.x + outer.width + 1 &&
  inner.y + inner.height <= outer.y + outer.height + 1;

/**
 * What is wrong with what is about to be pictured: something still loads or hides it, a text is cut
 * off, a list shows no choice, a value is no word.
 *
 * @param area what the picture shows of the page
 * @param root whose texts have to be whole
 */
export async function faultsOf(page: Page, area: Area, root: Locator): Promise<string[]> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const faults: string[] = [];
  if (!isWithin(area, { x: 0, y: 0, width, height }))
    faults.push('it does not fit into the window');
  for (const [selector, what] of STRAY) {
    for (const one of await page.locator(selector).filter({ visible: true }).all()) {
      const box = await one.boundingBox();
      if (box !== null && box.width > 1 && overlaps(box, area)) faults.push(`it shows ${what}`);
    }
  }
  if (await root.locator('[data-test-id="parameter-issues"]:visible').count()) {
    faults.push('it shows a mistake');
  }
  const drawn = await root.locator('*').evaluateAll(readDrawn);
  if (drawn.length === 0) faults.push('it is empty');
  for (const { text, area: place, isCut, isScrolled, placeholder } of drawn) {
    if (!overlaps(place, area)) continue;
    if (NOT_WORDS.test(text)) faults.push(`it says "${text}"`);
    if (isCut) faults.push(`"${text}" is cut off`);
    if (NO_CHOICE.test(placeholder)) faults.push(`"${placeholder}": nothing is chosen`);
    if (isScrolled) faults.push(`"${text}" goes on below`);
    if (text !== '' && !isWithin(place, area)) faults.push(`"${text}" reaches over its edge`);
  }
  return [...new Set(faults)];
}

/** The things of one kind that cover others, by what they say. */
export function covering(
  things: Array<{ name: string; area: Area }>,
  others: Array<{ name: string; area: Area }>,
): string[] {
  return things.flatMap((thing) =>
    others
      .filter((other) => other !== thing && overlaps(thing.area, other.area))
      .map((other) => `"${thing.name}" covers "${other.name}"`),
  );
}
