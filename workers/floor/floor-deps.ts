import type { Client } from '@temporalio/client';
import type { KillPoint } from '../../activities/deps.ts';
import type { Store } from '../../db/store.ts';

export interface FloorDeps {
  client: Client;
  store: Store;
  databaseUrl: string;
  /** Reads the name of the task that a name or path leads to; null if none can be read there. */
  nameOf: (task: string) => Promise<string | null>;
  warn: (line: string) => void;
  reach: (point: KillPoint) => void;
}
