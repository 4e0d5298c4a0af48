import type { Look, Place } from '../../run-protocol/view.ts';
import type { Link } from '../channel/link.ts';

/** What is not there may come, but a launch need not ask each time. */
const ABSENT_MS = 60_000;

/** Looks at paths of a host; what was seen is kept, since system folders do not move. */
export function lookOn(link: Link): Look {
  const seen = new Map<string, Place & { until: number }>();
  return async (paths) => {
    const isKnown = (path: string): boolean => (seen.get(path)?.until ?? 0) > Date.now();
    const asked = [...new Set(paths.filter((path) => !isKnown(path)))];
    if (asked.length > 0) {
      const frames = await link.ask({ verb: 'where', words: asked });
      asked.forEach((path, index) => {
        const { payload, words } = frames[index] ?? {};
        const real = payload?.toString('utf8');
        const until = real ? Infinity : Date.now() + ABSENT_MS;
        seen.set(path, { real: real || undefined, folder: words?.[0] === 'folder', until });
      });
    }
    return paths.map((path) => seen.get(path) ?? { real: undefined, folder: false });
  };
}
