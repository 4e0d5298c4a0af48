import type { Look, Place } from '../run-protocol/view.ts';
import type { Link } from './link.ts';

/** Looks at paths of a host; what was seen is kept, since system folders do not move. */
export function lookOn(link: Link): Look {
  const seen = new Map<string, Place>();
  return async (paths) => {
    const asked = [...new Set(paths.filter((path) => !seen.has(path)))];
    if (asked.length > 0) {
      const frames = await link.ask({ verb: 'where', words: asked });
      asked.forEach((path, index) => {
        const { payload, words } = frames[index] ?? {};
        const real = payload?.toString('utf8');
        const place = { real: real || undefined, folder: words?.[0] === 'folder' };
        // What is not there yet may come.
        if (place.real !== undefined) seen.set(path, place);
      });
    }
    return paths.map((path) => seen.get(path) ?? { real: undefined, folder: false });
  };
}
