import type { Command } from 'commander';
import { say, sayJson, type Io } from '../io.ts';

export function registerStatus(program: Command, io: Io): void {
  program
    .command('status [id]')
    .description('Where a research stands. Reads Postgres; Temporal is asked for two seconds at most.')
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const [{ withDb }, { pickResearch }, { readStatus }, { readAlerts }, { standingOf }] = await Promise.all([
        import('../context.ts'),
        import('../pick.ts'),
        import('../../db/reads/read-status.ts'),
        import('../../db/reads/read-alerts.ts'),
        import('../../db/reads/standing.ts'),
      ]);
      const { status, research, alerts } = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        const alerts = await readAlerts(db, { researchId: research.id, limit: 3 });
        return { status: await readStatus(db, { research }), research, alerts };
      });
      const { askTemporal } = await import('../ask-temporal.ts');
      const ended = status.phase === 'stopped' || status.phase === 'failed';
      const asked = ended ? { finding: null, notes: [] } : await askTemporal(io, research.id);
      // The contract has no key for it: in JSON a finding is the reason why nothing moves.
      if (options.json) return sayJson(io, { ...status, reason: status.reason ?? asked.finding });
      const { renderStatus, unitOf } = await import('../render/status.ts');
      const { warnings, report } = standingOf(research);
      const notes = [...asked.notes, ...warnings, ...alerts.map((alert) => alert.message)];
      for (const line of renderStatus(status, { unit: unitOf(research.task.metric), report, notes })) say(io, line);
    });
}
