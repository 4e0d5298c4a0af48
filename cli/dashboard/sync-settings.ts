import { readSettings, type Settings, writeSettings } from '../../config/dashboard/settings.ts';
import { readUpFile } from '../../config/up-file.ts';
import { readerAddress } from '../../db/reader/reader-address.ts';

/** Delay of the next refresh: short until the database has tables, then long, since the addresses may change later. */
const REFRESH_MS = { unknown: 1000, known: 30_000 };

export interface SettingsSync {
  /** Refreshes the settings now, and repeats it by a timer until `stop`. */
  refresh: () => Promise<void>;
  stop: () => void;
}

/**
 * Keeps the addresses in a dashboard's settings current: the database for reading, and Temporal's Web UI.
 * Resolves the reader's address here, so that the process that serves pages never has the owner's address.
 */
export function syncSettings(home: string, databaseUrl: () => string | Promise<string>): SettingsSync {
  let timer: NodeJS.Timeout | undefined;
  let latest = 0;
  const refresh = async (): Promise<void> => {
    clearTimeout(timer);
    const number = (latest += 1);
    const addresses = await findAddresses(home, databaseUrl);
    // A later refresh has newer addresses.
    if (number !== latest) return;
    if (addresses !== null) save(home, addresses);
    timer = setTimeout(() => void refresh(), addresses === null ? REFRESH_MS.unknown : REFRESH_MS.known);
    timer.unref();
  };
  const stop = (): void => {
    latest = Infinity;
    clearTimeout(timer);
  };
  return { refresh, stop };
}

type SourceAddresses = Pick<Settings, 'readUrl' | 'temporal'>;

/** Finds the addresses; null if Postgres does not answer now, and then the settings stay as they are. */
async function findAddresses(
  home: string,
  databaseUrl: () => string | Promise<string>,
): Promise<SourceAddresses | null> {
  try {
    const { url } = await readerAddress(await databaseUrl());
    return { readUrl: url, temporal: await findWebUi(home) };
  } catch {
    return null; // the page reports the outage
  }
}

async function findWebUi(home: string): Promise<Settings['temporal']> {
  const up = await readUpFile(home).catch(() => null);
  return up && up.temporal.uiUrl !== null ? { uiUrl: up.temporal.uiUrl, namespace: up.temporal.namespace } : null;
}

function save(home: string, addresses: SourceAddresses): void {
  const before = readSettings(home);
  const after = { ...before, ...addresses };
  if (JSON.stringify(after) !== JSON.stringify(before)) writeSettings(home, after);
}
