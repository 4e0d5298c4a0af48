import * as plain from '../../../domain/text/format.ts';

/** A narrow space that does not break. */
const SEPARATOR = '\u202f';

/** A number in decimal notation with its thousands separated: `1 276 424.5`. Other texts stay as they are. */
export function separateThousands(text: string): string {
  const [whole = '', ...decimals] = text.split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, SEPARATOR), ...decimals].join('.');
}

/** A measured value as the page shows it: as precise as its noise allows; `–` if there is none. */
export const formatValue = (value: number | null | undefined, sd?: number | null): string =>
  separateThousands(plain.formatValue(value, sd));

/** A result as the page shows it. A value far below its noise keeps two significant digits. */
export const formatResult = (value: number, sd?: number | null): string =>
  separateThousands(plain.formatResult(value, sd));

/** A difference with its sign, as the page shows it. */
export const formatSigned = (value: number, sd?: number | null): string =>
  separateThousands(plain.formatSigned(value, sd));

/** A whole number as the page shows it. */
export const formatInteger = (n: number): string => separateThousands(String(Math.round(n)));
