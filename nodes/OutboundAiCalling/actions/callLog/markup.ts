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

function escaped(text: string): string {
  return text
    .replace(NOT_IN_HTML, ' ')
    .replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}

type Value = string | number | Markup | Value[];

function textOf(value: Value): string {
  if (value instanceof Markup) return value.text;
  return Array.isArray(value) ? value.map(textOf).join('') : escaped(String(value));
}

/** A template of HTML. It escapes every value that is not {@link Markup}. */
export function markup(parts: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(
    parts
      .map((part, index) => part + textOf(index < values.length ? (values[index] ?? '') : ''))
      .join(''),
  );
}
