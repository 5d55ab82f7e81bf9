/** An error of a spreadsheet in any language (`#REF!`, `#NAME?`, `#N/A`), or a column that is too narrow. */
const ERROR = /^#(?:[¡¿]?\p{Lu}[\p{Lu}\d/_]*[!?]|N\/[A-Z]|n\/a|##+)$/u;
/** `#N/A` of Excel in other languages, where it has no sign that other words lack. */
const NOT_AVAILABLE = /^#(?:NV|YOK|HIÁNYZIK|NEDOSTUPNÝ|NENÍ_K_DISPOZICI|Н\/Д|I\/T|Δ\/Υ)$/;
/** An error of LibreOffice, and what Excel and Google Sheets show until they have computed a cell. */
const ERR_OR_NOT_YET = /^(?:Err:5\d\d|#GETTING_DATA|Loading(?:\.{3}|…))$/;
/** Programs write a plus; without one, `1E5` may be an order number. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?e\+\d+$/i;

/** Whether a spreadsheet or another program wrote a text in place of a value that it lost. */
export function isBrokenCell(text: string): boolean {
  const cell = text.trim();
  return [ERROR, NOT_AVAILABLE, ERR_OR_NOT_YET, SCIENTIFIC].some((sign) => sign.test(cell));
}
