import type { Confinement } from './confinement.ts';
import { once } from '../once.ts';

/** Time in ms after which a host that gave no sandbox is probed again: it may have lacked a resource for a moment. */
const REPROBE_MS = 60_000;

/** Confinements that the host can enforce, from the last probe. */
export interface ConfinementCache {
  confinement: (sandbox: boolean) => Promise<Confinement>;
  /** Drops what was found: the next call probes again. */
  forget: () => void;
}

/** Caches what `probe` finds, with a sandbox and without. If no sandbox worked, probes again after REPROBE_MS. */
export function cacheConfinement(probe: (sandbox: boolean) => Promise<Confinement>): ConfinementCache {
  let without = once(() => probe(false));
  let withSandbox = once(() => probe(true));
  let until = Infinity;
  const forget = (): void => {
    without = once(() => probe(false));
    withSandbox = once(() => probe(true));
    until = Infinity;
  };
  const confinement = async (sandbox: boolean): Promise<Confinement> => {
    if (Date.now() > until) forget();
    if (!sandbox) return without();
    const found = await withSandbox();
    if (!found.sandboxed && until === Infinity) until = Date.now() + REPROBE_MS;
    return found;
  };
  return { confinement, forget };
}
