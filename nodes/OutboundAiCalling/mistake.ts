/** Something in the parameters of an item that has to be corrected before anything can be sent. */
export interface Mistake {
  /** The parameter as the panel names it. */
  parameter: string;
  /** What is wrong with it, to be read after its name: `is missing`. */
  message: string;
  /** What to do about it; undefined when the message says enough. */
  advice?: string | undefined;
}
