import { z } from 'zod';
import { PROTOCOLS } from '../gateway/call.ts';
import { argument, environmentName } from '../schema/fields.ts';
import { sandboxFolderProblem } from '../task/sandbox-folder-problem.ts';
import { pathProblem } from '../text/path-problem.ts';

/** Coding agents whose recipes come with Perpetua, as `agents/NAME.yaml`. */
export const AGENTS = ['claude-code', 'codex', 'mini-swe-agent', 'pi'] as const;
export type AgentName = (typeof AGENTS)[number];

/** Variables that a recipe must not set: Perpetua sets HOME, PATH and all that begin with PERPETUA_. */
const isReserved = (name: string): boolean => name === 'HOME' || name === 'PATH' || name.startsWith('PERPETUA_');

const refuse = (find: (text: string) => string | null) => (text: string, context: z.RefinementCtx<string>) => {
  const problem = find(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
};

const variable = environmentName.superRefine(
  refuse((name) => (isReserved(name) ? 'a variable that Perpetua does not set itself (HOME, PATH, PERPETUA_…)' : null)),
);
const relative = z.string().superRefine(
  refuse((path) => {
    const problem = pathProblem(path);
    return problem === null ? null : `a path below the agent's home; ${problem}`;
  }),
);
const folder = z
  .string()
  .max(1024)
  .superRefine(
    refuse((path) => {
      const problem = sandboxFolderProblem(path);
      return problem === null ? null : `a folder that a sandbox may show; ${problem}`;
    }),
  );

/**
 * How to run a coding agent. Its commands run by `sh -c` in the work tree, with these variables: PERPETUA_PROMPT (path
 * of a file with the prompt), PERPETUA_MODEL, PERPETUA_GATEWAY (base URL without `/v1`), PERPETUA_AGENT_HOME (a folder
 * of the trial's own, also HOME), PERPETUA_AGENT (folder of the installed agent), PERPETUA_SESSION (UUID of the trial).
 */
export const AgentRecipe = z.strictObject({
  protocol: z.enum(PROTOCOLS).describe('protocol in which the agent asks its model'),
  command: argument.min(1).describe('shell command that works on the prompt in `$PERPETUA_PROMPT` and ends'),
  resume: argument.min(1).optional().meta({
    description: 'shell command that goes on with the kept conversation; `$PERPETUA_PROMPT` then says so',
    otherwise: '`command`, in a conversation of its own',
  }),
  transcript: relative.optional().meta({
    description: "glob below the agent's home of the file that keeps the conversation; `resume` needs it",
    otherwise: 'none',
  }),
  env: z.record(variable, argument).default({}).describe('environment variables of the agent'),
  files: z
    .record(relative, z.string().max(100_000))
    .default({})
    .describe(
      "files below the agent's home; `$PERPETUA_MODEL`, `$PERPETUA_GATEWAY` and `$PERPETUA_AGENT_HOME` in their text " +
        'are replaced, escaped as in a string with double quotes',
    ),
  readable: z.array(folder).max(20).default([]).describe('folders of the machine that the agent is installed in'),
  promptBytes: z
    .number()
    .int()
    .min(1000)
    .optional()
    .meta({ description: 'longest prompt, for an agent that takes it as an argument', otherwise: 'no limit' }),
});
export type AgentRecipe = z.infer<typeof AgentRecipe>;

/** Packages of an agent: a lock of `agents/lock/NAME` has their hashes. */
const Install = z.union([
  z.strictObject({ npm: z.string().regex(/^(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/, 'name@version') }),
  z.strictObject({ python: z.string().regex(/^[\w.-]+==\d+(\.\d+)+$/, 'name==version') }),
]);

/** A recipe that comes with Perpetua, with its installation. */
export const InstalledRecipe = AgentRecipe.extend({
  install: Install,
  /** Sizes for people, as measured on Linux with x86-64. */
  size: z.strictObject({ download: z.string(), disk: z.string(), bytes: z.number() }),
});
export type InstalledRecipe = z.infer<typeof InstalledRecipe>;

/** The agent of a proposer: the name of a recipe that comes with Perpetua, or a recipe of the user's own. */
export const Agent = z.union([z.enum(AGENTS), AgentRecipe]);
export type Agent = z.infer<typeof Agent>;
