import type { Command } from 'commander';
import type { Io } from './io.ts';

export type Register = (program: Command, io: Io) => void;

export interface Entry {
  name: string;
  summary: string;
  load: () => Promise<Register>;
}

/** Every command, in the order of the help. A command line loads the module of its own command only. */
export const CATALOG: readonly Entry[] = [
  {
    name: 'up',
    summary: 'start everything and show the demo research live',
    load: async () => (await import('./commands/up.ts')).registerUp,
  },
  {
    name: 'down',
    summary: 'stop what up started, from any terminal; runs go on',
    load: async () => (await import('./commands/ending/down.ts')).registerDown,
  },
  {
    name: 'worker',
    summary: 'start workers for an existing Temporal server and Postgres',
    load: async () => (await import('./commands/worker.ts')).registerWorker,
  },
  {
    name: 'doctor',
    summary: 'check what this machine has, what is missing and how to get it',
    load: async () => (await import('./commands/doctor.ts')).registerDoctor,
  },
  {
    name: 'init',
    summary: 'write a small working task to start from',
    load: async () => (await import('./commands/init.ts')).registerInit,
  },
  {
    name: 'check',
    summary: 'validate a task and run its unmodified workspace once',
    load: async () => (await import('./commands/check.ts')).registerCheck,
  },
  {
    name: 'attack',
    summary: 'try hostile candidates on a task: does its evaluator hold?',
    load: async () => (await import('./commands/attack.ts')).registerAttack,
  },
  {
    name: 'run',
    summary: 'run a command once in the workspace of a task, on a slot',
    load: async () => (await import('./commands/run.ts')).registerRun,
  },
  {
    name: 'list',
    summary: 'the researches of this database, and the tasks that are known by name',
    load: async () => (await import('./commands/reads/list.ts')).registerList,
  },
  {
    name: 'start',
    summary: 'start a research, or go on with one that ended',
    load: async () => (await import('./commands/start.ts')).registerStart,
  },
  {
    name: 'presets',
    summary: 'the methods of start --preset: values, source, deviations',
    load: async () => (await import('./commands/reads/presets.ts')).registerPresets,
  },
  {
    name: 'status',
    summary: 'where a research stands',
    load: async () => (await import('./commands/reads/status.ts')).registerStatus,
  },
  {
    name: 'watch',
    summary: 'the events of a research as lines, until it ends',
    load: async () => (await import('./commands/reads/watch.ts')).registerWatch,
  },
  {
    name: 'dashboard',
    summary: 'open the dashboard in a browser, or serve it if no stack runs one',
    load: async () => (await import('./commands/dashboard.ts')).registerDashboard,
  },
  {
    name: 'log',
    summary: 'every ended trial, one line each',
    load: async () => (await import('./commands/reads/trial/log.ts')).registerLog,
  },
  {
    name: 'events',
    summary: 'what happened: phases, claims, budgets, hosts, trials, one line each',
    load: async () => (await import('./commands/reads/events.ts')).registerEvents,
  },
  {
    name: 'best',
    summary: 'the best confirmed candidate; --out DIR writes its workspace',
    load: async () => (await import('./commands/reads/best.ts')).registerBest,
  },
  {
    name: 'verify',
    summary: "score a certificate's artefacts again, by the task's own evaluator",
    load: async () => (await import('./commands/reads/verify.ts')).registerVerify,
  },
  {
    name: 'show',
    summary: 'one trial: proposal, verdict, failure, curve, log',
    load: async () => (await import('./commands/reads/trial/show.ts')).registerShow,
  },
  {
    name: 'calls',
    summary: 'the conversation of one trial with a model: messages, tool calls, tokens, cost',
    load: async () => (await import('./commands/reads/calls.ts')).registerCalls,
  },
  {
    name: 'diff',
    summary: 'what a trial changed against its parent',
    load: async () => (await import('./commands/reads/trial/diff.ts')).registerDiff,
  },
  {
    name: 'report',
    summary: 'what happened: claims, ideas, failures, cost, and what needs you',
    load: async () => (await import('./commands/reads/report.ts')).registerReport,
  },
  {
    name: 'attention',
    summary: 'what needs you; puts an entry away',
    load: async () => (await import('./commands/reads/attention.ts')).registerAttention,
  },
  {
    name: 'explain',
    summary: 'what mattered: the importance of each knob, with intervals',
    load: async () => (await import('./commands/reads/trial/explain.ts')).registerExplain,
  },
  {
    name: 'pause',
    summary: 'pause a research: nothing new starts, runs finish',
    load: async () => (await import('./commands/steering/signals.ts')).registerPause,
  },
  {
    name: 'resume',
    summary: 'go on with a paused research, or try again at once',
    load: async () => (await import('./commands/steering/signals.ts')).registerResume,
  },
  {
    name: 'stop',
    summary: 'end a research once its runs have finished; --now cancels them',
    load: async () => (await import('./commands/steering/signals.ts')).registerStop,
  },
  {
    name: 'note',
    summary: 'give the proposer advice, which enters the next prompts',
    load: async () => (await import('./commands/steering/signals.ts')).registerNote,
  },
  {
    name: 'inject',
    summary: 'run your own version of the files as the next trial',
    load: async () => (await import('./commands/steering/inject.ts')).registerInject,
  },
  {
    name: 'budget',
    summary: "change a research's budget, or show it",
    load: async () => (await import('./commands/steering/limits.ts')).registerBudget,
  },
  {
    name: 'window',
    summary: 'change how many trials of a research are under way at once',
    load: async () => (await import('./commands/steering/limits.ts')).registerWindow,
  },
  {
    name: 'task',
    summary: 'make a research use another task, or its task as it is now',
    load: async () => (await import('./commands/steering/task.ts')).registerTask,
  },
  {
    name: 'overrule',
    summary: "replace the gate's verdict on a trial by yours",
    load: async () => (await import('./commands/steering/overrule.ts')).registerOverrule,
  },
  {
    name: 'mcp',
    summary: 'serve coding agents by the Model Context Protocol: read, propose, wait for verdicts',
    load: async () => (await import('./commands/mcp.ts')).registerMcp,
  },
  {
    name: 'delete',
    summary: 'remove a research that has ended, with its rows and files',
    load: async () => (await import('./commands/ending/delete.ts')).registerDelete,
  },
  {
    name: 'export',
    summary: 'export curves: learning curves of a research as JSON lines',
    load: async () => (await import('./commands/reads/export.ts')).registerExport,
  },
  {
    name: 'git',
    summary: 'write claims into a Git repository: a branch for the research, a commit for each claim',
    load: async () => (await import('./commands/reads/git.ts')).registerGit,
  },
  {
    name: 'policy',
    summary: 'versions of a policy that learns: list, show, compare, pin, rollback, export',
    load: async () => (await import('./commands/policy.ts')).registerPolicy,
  },
  {
    name: 'fleet',
    summary: 'machines that are reached by SSH: status, check, apply, drain, resume, clean',
    load: async () => (await import('./commands/fleet.ts')).registerFleet,
  },
  {
    name: 'notify',
    summary: 'messages about claims, ends and what needs you: apply, list, remove, test',
    load: async () => (await import('./commands/notify.ts')).registerNotify,
  },
  {
    name: 'trainer',
    summary: 'the Python environment in which a proposer learns: install, check',
    load: async () => (await import('./commands/environments/trainer.ts')).registerTrainer,
  },
  {
    name: 'optimizer',
    summary: 'the Python environment of the proposer cma-es: install',
    load: async () => (await import('./commands/environments/optimizer.ts')).registerOptimizer,
  },
  {
    name: 'agents',
    summary: 'coding agents that propose: install, check',
    load: async () => (await import('./commands/environments/agents.ts')).registerAgents,
  },
  {
    name: 'abort',
    summary: 'replay rules of early abort over finished curves',
    load: async () => (await import('./commands/abort.ts')).registerAbort,
  },
  {
    name: 'clean',
    summary: 'remove run directories, logs and artefacts that are no longer needed',
    load: async () => (await import('./commands/clean.ts')).registerClean,
  },
];
