import { z } from 'zod';
import { dashboardFiles, readDashboardFile, writeDashboardFile } from './files.ts';

/** What a dashboard is started with: in a file, since an argument is seen by every user of the machine. */
const Settings = z.strictObject({
  /** Address to listen on. */
  host: z.string(),
  /** Port to listen on; any other where it is taken. */
  port: z.number().int().min(0).max(65_535),
  /** Further names that a browser may call it by. */
  allowHosts: z.array(z.string()),
  /**
   * Address of the database as the role that reads, with a password: no other address of it is told to the process. Null while
   * there is nothing to read.
   */
  readUrl: z.string().nullable(),
  /** Where workflows are looked at; null where that is not known, or no Web UI is. */
  temporal: z.strictObject({ uiUrl: z.string(), namespace: z.string() }).nullable(),
});
export type Settings = z.infer<typeof Settings>;

/** Throws where nothing was written down. */
export function readSettings(home: string): Settings {
  const path = dashboardFiles(home).settings;
  const settings = Settings.safeParse(readDashboardFile(path));
  if (settings.success) return settings.data;
  throw new Error(
    `Expected the dashboard's settings in ${path}, found none. Start it with \`npx perpetua dashboard\` or \`npx perpetua up\`.`,
  );
}

export const writeSettings = (home: string, settings: Settings): void =>
  writeDashboardFile(home, dashboardFiles(home).settings, `${JSON.stringify(settings)}\n`);
