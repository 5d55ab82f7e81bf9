/** HTML that is escaped already. */
export class Markup {
  constructor(readonly text: string) {}
}

const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Control characters, lone surrogates and noncharacters: HTML must not contain them. */
const NOT_IN_HTML = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

type Value = string | number | Markup | Value[];

function textOf(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  const text = String(value).replace(NOT_IN_HTML, ' ');
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}

/** A template of HTML. It escapes every value that is not {@link Markup}. */
export function markup(parts: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(parts.map((part, index) => part + textOf(values[index] ?? '')).join(''));
}
