import { z } from 'zod';
import { dashboardFiles, readDashboardFile, writeDashboardFile } from './files.ts';

/** Settings that a dashboard starts with. They are in a file, because every user of the machine can see arguments. */
const Settings = z.strictObject({
  /** Address to listen on. */
  host: z.string(),
  /** Port to listen on; any other if it is taken. */
  port: z.number().int().min(0).max(65_535),
  /** Further host names under which a browser may reach it. */
  allowHosts: z.array(z.string()),
  /**
   * URL of the database for the role that reads, with a password: the process gets no other URL of it. Null while there
   * is nothing to read.
   */
  readUrl: z.string().nullable(),
  /** True if the page may send messages to researches. The process then finds Temporal as each command does. */
  steer: z.boolean(),
  /** Temporal's Web UI and namespace; null if they are unknown, or if there is no Web UI. */
  temporal: z.strictObject({ uiUrl: z.string(), namespace: z.string() }).nullable(),
});
export type Settings = z.infer<typeof Settings>;

/** Reads the settings; throws if none are stored. */
export function readSettings(home: string): Settings {
  const path = dashboardFiles(home).settings;
  const settings = Settings.safeParse(readDashboardFile(path));
  if (settings.success) return settings.data;
  throw new Error(
    `Expected the dashboard's settings in ${path}, found none. ` +
      'Start it with `npx perpetua dashboard` or `npx perpetua up`.',
  );
}

export const writeSettings = (home: string, settings: Settings): void =>
  writeDashboardFile(home, dashboardFiles(home).settings, `${JSON.stringify(settings)}\n`);
