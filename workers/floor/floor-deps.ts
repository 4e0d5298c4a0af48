import type { Client } from '@temporalio/client';
import type { KillPoint } from '../../activities/deps.ts';
import type { Store } from '../../db/store.ts';

export interface FloorDeps {
  client: Client;
  store: Store;
  databaseUrl: string;
  /** The name of a task by its name or path; null where none can be read there. */
  nameOf: (task: string) => Promise<string | null>;
  warn: (line: string) => void;
  reach: (point: KillPoint) => void;
}
