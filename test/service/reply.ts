export type Body = Record<string, unknown>;

/** An answer before it is sent. */
export interface Reply {
  status: number;
  body: Body;
}

/** A failed answer ("Errors"). */
export const refuse = (status: number, message: string): Reply => ({
  status,
  body: { success: false, message },
});

/** A successful answer, which always says so at its top. */
export const succeed = (body: Body): Reply => ({ status: 200, body: { success: true, ...body } });

/** Whether a field was not given, or given without content. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** The text of a field that was given. */
export const textOf = (value: unknown): string | undefined =>
  isBlank(value) ? undefined : String(value);
