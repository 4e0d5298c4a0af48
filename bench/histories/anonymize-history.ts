import { hostname } from 'node:os';
import { packageRoot } from '../../config/paths.ts';

/** A history without the paths and the name of the machine that it was recorded on; replay goes by none of them. */
export function anonymizeHistory(history: unknown, home: string): unknown {
  const clean = (text: string): string =>
    text
      .replaceAll(home, '/recorded')
      .replaceAll(packageRoot(), '/perpetua')
      .replaceAll(`@${hostname()}`, '@worker')
      // Who holds an offer, in statements that failed: the machine and the process.
      .replaceAll(`,${hostname()} `, ',worker ');
  /** Payloads are texts in base64. */
  const cleanData = (data: string): string => {
    const text = Buffer.from(data, 'base64').toString();
    return clean(text) === text ? data : Buffer.from(clean(text)).toString('base64');
  };
  const walk = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return key === 'data' ? cleanData(value) : clean(value);
    if (Array.isArray(value)) return value.map((one) => walk(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]));
  };
  return walk(history);
}
