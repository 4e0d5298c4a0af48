import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { ResearchView } from './read-research.ts';
import type { Spent } from './read-spent.ts';

export interface Use {
  spent: number;
  /** Null where there is none. */
  limit: number | null;
}

/** What is spent of each limit. Trials are those of the kinds that count, under way included; hours are without pauses. */
export interface BudgetUse {
  trials: Use;
  hours: Use;
  tokens: Use;
  usd: Use;
  /** What happens when a limit is reached. */
  whenSpent: 'stop' | 'wait';
}

/** Where a research stands in its budget. */
export async function readBudget(db: Tx, input: { research: ResearchView; spent: Spent }): Promise<BudgetUse> {
  const { id, budget, activeSeconds } = input.research;
  const { tokens, usd } = input.spent;
  const found = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from trials where research_id = ${id} and kind = any(${sql.param(budget.counts)})`,
  );
  const use = (key: 'trials' | 'hours' | 'tokens' | 'usd', spent: number): Use => ({
    spent,
    limit: budget[key] ?? null,
  });
  return {
    trials: use('trials', found.rows[0]?.n ?? 0),
    hours: use('hours', activeSeconds / 3600),
    tokens: use('tokens', tokens),
    usd: use('usd', usd),
    whenSpent: budget.whenSpent,
  };
}
