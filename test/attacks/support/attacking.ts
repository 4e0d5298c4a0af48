import type { AttackRow } from '../../../domain/attack/report-attacks.ts';
import { run } from '../../cli/support/cli.ts';
import type { TestStack } from '../../support/stack.ts';
import { attackedTask, type TaskName } from './tasks.ts';

/** Exit code and report of `perpetua attack --json`. */
export interface Attacked {
  code: number;
  report: {
    task: string;
    workflowId: string;
    baseline: number[];
    slotSeconds: number;
    left: string[];
    attacks: AttackRow[];
  };
  stderr: string;
  row: (name: string) => AttackRow;
}

/** The environment of commands that speak to a stack. */
export const envOf = ({ temporalAddress, databaseUrl, home }: TestStack): Record<string, string> => ({
  TEMPORAL_ADDRESS: temporalAddress,
  DATABASE_URL: databaseUrl,
  PERPETUA_HOME: home,
});

/** Attacks a built-in task, or one of the tests' tasks, with these attacks; default: all. */
export async function attack(
  stack: TestStack,
  {
    task,
    only = [],
    exploits = false,
  }: { task: TaskName | { builtin: string }; only?: readonly string[]; exploits?: boolean },
): Promise<Attacked> {
  const folder = typeof task === 'string' ? await attackedTask(stack, task) : task.builtin;
  const names = [...only.flatMap((name) => ['--only', name]), ...(exploits ? ['--exploits'] : [])];
  const { code, json, stdout, stderr } = await run(['attack', folder, '--json', ...names], { env: envOf(stack) });
  const [report] = json() as [Attacked['report']];
  const row = (name: string): AttackRow => {
    const found = report.attacks?.find((attacked) => attacked.attack === name);
    if (!found) throw new Error(`expected a row of ${name}, got ${stdout}${stderr}`);
    return found;
  };
  return { code, report, stderr, row };
}
