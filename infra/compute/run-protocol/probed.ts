import type { Confinement } from './confinement.ts';
import { once } from './once.ts';

/** A machine that was without sandbox when it was tried is tried again after this, in ms: it may have been short of something for a moment. */
const REPROBE_MS = 60_000;

/** What runs can be confined by, found once by `probe`; a sandbox that was not to be had is looked for again later. */
export function probed(probe: (sandbox: boolean) => Promise<Confinement>): (sandbox: boolean) => Promise<Confinement> {
  const without = once(() => probe(false));
  let withSandbox = once(() => probe(true));
  let until = Infinity;
  return async (sandbox) => {
    if (!sandbox) return without();
    if (Date.now() > until) {
      withSandbox = once(() => probe(true));
      until = Infinity;
    }
    const found = await withSandbox();
    if (!found.sandboxed && until === Infinity) until = Date.now() + REPROBE_MS;
    return found;
  };
}
