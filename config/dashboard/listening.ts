import { rmSync } from 'node:fs';
import { z } from 'zod';
import { dashboardFiles, readDashboardFile, writeDashboardFile } from './files.ts';
import { enterUrl, type Secret } from './secret.ts';

/** Address of a dashboard, written by its process, which may have died since. */
const Listening = z.strictObject({
  pid: z.number().int().positive(),
  host: z.string(),
  port: z.number().int().positive(),
});
export type Listening = z.infer<typeof Listening>;

/** Address that a dashboard of this home wrote last; undefined if it ended in order, or never ran. */
export const readListening = (home: string): Listening | undefined =>
  Listening.safeParse(readDashboardFile(dashboardFiles(home).listening)).data;

/** URL at which a browser of this machine reaches the dashboard. */
export function originOf({ host, port }: Pick<Listening, 'host' | 'port'>): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Stores the address of this process, and writes the page that lets a browser in. */
export function writeListening(home: string, listening: Listening, secret: Secret): void {
  const files = dashboardFiles(home);
  writeDashboardFile(home, files.open, openPage(enterUrl(originOf(listening), secret)));
  writeDashboardFile(home, files.listening, `${JSON.stringify(listening)}\n`);
}

/** Removes both files if this process wrote them. */
export function endListening(home: string, pid: number): void {
  if (readListening(home)?.pid !== pid) return;
  const files = dashboardFiles(home);
  rmSync(files.open, { force: true });
  rmSync(files.listening, { force: true });
}

const openPage = (url: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Perpetua</title>
</head>
<body><p><a href="${url}" rel="noreferrer">Open the dashboard</a></p></body>
</html>
`;
