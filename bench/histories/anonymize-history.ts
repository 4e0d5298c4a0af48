import { hostname } from 'node:os';
import { packageRoot } from '../../config/paths.ts';

/** Replaces the paths and the host name of the recording machine in a history. A replay does not depend on them. */
export function anonymizeHistory(history: unknown, home: string): unknown {
  const clean = (text: string): string =>
    text
      .replaceAll(home, '/recorded')
      .replaceAll(packageRoot(), '/perpetua')
      .replaceAll(`@${hostname()}`, '@worker')
      // Failed statements name the holder of an offer, by host name and process.
      .replaceAll(`,${hostname()} `, ',worker ');
  /** Cleans a payload, which is a base64 text. */
  const cleanData = (data: string): string => {
    const text = Buffer.from(data, 'base64').toString();
    return clean(text) === text ? data : Buffer.from(clean(text)).toString('base64');
  };
  const walk = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return key === 'data' ? cleanData(value) : clean(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]));
  };
  return walk(history);
}
