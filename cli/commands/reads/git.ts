import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import { withDb } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { followClaims } from '../../git/follow-claims.ts';

interface Options {
  out: string;
  path?: string;
  follow?: boolean;
  json?: boolean;
}

export function registerGit(program: Command, io: Io): void {
  program
    .command('git [id]')
    .description(
      'Write the claims of a research into a Git repository: a branch, perpetua/ID, with a commit for each claim. ' +
        'Touches no working tree. May be repeated.',
    )
    .requiredOption('-o, --out <dir>', 'a repository, or a new or empty folder that becomes one')
    .option('--path <dir>', 'folder of the workspace in the repository (default: its top)')
    .option('--follow', 'go on with each claim as it is made, until the research ends')
    .option('--json', 'one JSON object for each commit')
    .action(async (id: string | undefined, options: Options) => {
      const research = await withDb(io, (db) => pickResearch(db, id));
      await followClaims(io, research.id, options);
    });
}
