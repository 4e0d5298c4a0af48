import { readSettings, type Settings, writeSettings } from '../../config/dashboard/settings.ts';
import { readUpFile } from '../../config/up-file.ts';
import { readerAddress } from '../../db/reader/reader-address.ts';

/** Until the tables are there, and after that: a role may come later, or another database under the same address. */
const AGAIN_MS = { unknown: 1000, known: 30_000 };

export interface SettingsSync {
  /** Looks now. What is away or has no tables yet is looked for again. */
  refresh: () => Promise<void>;
  stop: () => void;
}

/**
 * Keeps a dashboard's settings at where it reads and where Temporal's Web UI is. It works out the address of the role that reads,
 * so that the process that serves pages never has that of the database's owner.
 */
export function syncSettings(home: string, databaseUrl: () => string | Promise<string>): SettingsSync {
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const own = (looks += 1);
    const told = await whereToRead(home, databaseUrl);
    // A later look knows better.
    if (own !== looks) return;
    if (told !== null) tell(home, told);
    timer = setTimeout(() => void look(), told === null ? AGAIN_MS.unknown : AGAIN_MS.known);
    timer.unref();
  };
  const stop = (): void => {
    looks = Infinity;
    clearTimeout(timer);
  };
  return { refresh: look, stop };
}

type Where = Pick<Settings, 'readUrl' | 'temporal'>;

/** Null where Postgres cannot be asked now: what was told last goes on. */
async function whereToRead(home: string, databaseUrl: () => string | Promise<string>): Promise<Where | null> {
  try {
    const { url } = await readerAddress(await databaseUrl());
    return { readUrl: url, temporal: await whereIsTemporal(home) };
  } catch {
    return null; // the page says so
  }
}

async function whereIsTemporal(home: string): Promise<Settings['temporal']> {
  const up = await readUpFile(home).catch(() => null);
  return up && up.temporal.uiUrl !== null ? { uiUrl: up.temporal.uiUrl, namespace: up.temporal.namespace } : null;
}

function tell(home: string, where: Where): void {
  const before = readSettings(home);
  const after = { ...before, ...where };
  if (JSON.stringify(after) !== JSON.stringify(before)) writeSettings(home, after);
}
