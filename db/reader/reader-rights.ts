/** Columns of a table or view: those that `perpetua_reader` may read, and those that no page may show. */
interface Rights {
  granted: string;
  withheld?: string;
}

/**
 * Every table and view of the database. A test fails for a column in neither list: whoever adds a column decides if a
 * page may show it.
 */
export const READER_RIGHTS: Record<string, Rights> = {
  alerts: { granted: 'id research_id message at' },
  attention_entries: {
    granted: 'id key fingerprint researches level title why commands began_at ended_at dismissed_at',
  },
  arms: { granted: 'research_id key chosen trials scored reward seconds usd down down_until down_times' },
  artefact_files: { granted: 'trial_id placement path blob_hash content' },
  artefacts: { granted: 'trial_id placement path blob_hash size' },
  // Includes evaluators' contents; the three views of files grant the others.
  blobs: { granted: '', withheld: 'hash content' },
  carried_curves: { granted: 'research_id task_hash curves researches tested_at dropped' },
  // Includes evaluators' prompts; `proposer_call_parts` grants the others.
  call_parts: { granted: '', withheld: 'trial_id role n hash body' },
  calls: {
    granted:
      'trial_id turn role scoring protocol model request request_part answer outcome error status cut ' +
      'tokens_in tokens_out tokens_cached tokens_reasoning estimated usd latency_seconds repeated failed ' +
      'limited unused sent_at workflow_run attempt answered_at removed_at prompt_sizes changed_xid',
  },
  candidate_files: { granted: 'candidate_id path blob_hash content' },
  candidates: { granted: 'id immutable_hash files deleted sameness created_at' },
  claims: { granted: 'research_id seq candidate_id of_trial previous value sd n reason by at' },
  events: { granted: 'id xid at research_id kind level n data' },
  // For reports alone: no page shows them.
  held_out_scores: { granted: '', withheld: 'research_id candidate_id trial_id task_hash value at' },
  hosts: {
    granted:
      'name pool spec pool_spec state facts looked_at doubts seen_at failures quarantined_until left_since note ' +
      'last_error last_error_at applied_at',
  },
  // Evaluators' seeds and this role's own password are made from the secret.
  installations: { granted: '', withheld: 'id secret created_at' },
  jobs: {
    granted: 'id kind research_id task_hash pool priority opened_at ended_at first_placement ending waits_for',
    // The person's command line.
    withheld: 'spec',
  },
  nodes: {
    granted: 'research_id candidate_id seq parent_id depth value runs below best visits in_flight niche',
  },
  niches: { granted: 'research_id key begun is_active' },
  // No page shows them.
  messages: { granted: '', withheld: 'id sink kind research_id entry body created_at due_at held delivery' },
  message_deliveries: {
    granted: '',
    withheld: 'id sink kind created_at next_at attempts last_error delivered_at',
  },
  memories: { granted: 'id research_id trial_id copied_from text created_at' },
  notes: { granted: 'id research_id text created_at' },
  observations: {
    granted: 'research_id task_hash candidate_id knobs proposer seq value runs outcome seconds usd',
    // A hash that only the search compares.
    withheld: 'structure',
  },
  // Output of a person's commands.
  outputs: { granted: '', withheld: 'job_id placement offset content' },
  points: { granted: 'trial_id placement seq step elapsed value share' },
  policy_bases: { granted: 'research_id base model checkpoint step_key adapter descent created_at' },
  policies: { granted: 'research_id in_force pinned halted judged_from adjustments updated_at' },
  proposer_call_parts: { granted: 'trial_id n body' },
  researches: {
    granted:
      'id task_hash proposer overrides settings settings_hash seed_root phase reason last_n budget admitted tokens ' +
      'usd slot_seconds refunded without_new gate_config gate baseline_candidate nodes run_id last_change ' +
      'window active_seconds seconds_at_claim endpoint_down open_evaluator_task notify created_at updated_at',
  },
  // Arguments of workflows that are started again.
  restarts: { granted: '', withheld: 'workflow_id type run_id start left_behind taken_by at' },
  rollout_groups: { granted: 'research_id g parent_id parent_reason niche version prompt created_at' },
  rollouts: {
    granted:
      'trial_id research_id seq g k policy_version logprobs value_tokens answer_tokens text finish_reason sampled_at',
    // Megabytes of numbers for the trainer.
    withheld: 'prompt_ids completion_ids',
  },
  runs: {
    granted:
      'trial_id placement host slot_id machine hardware environment fence follower log_offset reader stop abort end ' +
      'shortage contention log_tail stdout_tail launched_at ready_at ended_at removed_at',
  },
  // Addresses of people, and places of secrets.
  sinks: { granted: '', withheld: 'name spec applied_at digest_at' },
  slots: {
    granted: 'id pool host index gpu state holder offered_until trial_id wanted fence free_since leased_at created_at',
  },
  // Includes evaluators' files; `workspace_files` grants the others.
  task_files: { granted: '', withheld: 'task_hash role path blob_hash executable' },
  task_versions: {
    granted:
      'hash name task yaml prompt stage_hash stages_mutable immutable_hash evaluator_hash metric_key mutable_paths ' +
      'created_at',
  },
  trials: {
    granted:
      'id research_id n kind of_trial seed task_hash pool admission candidate_id proposed_id parent_id parent_reason ' +
      'niche proposer proposer_reason proposer_settings arm first_turn arm_reward operator operator_reason ' +
      'second_parent_id hypothesis runs_before expected_delta edits staleness context_ended ready_at status failure ' +
      'failure_message value reused_from metrics evaluator_notes feedback trusted artefact_code verdict reason ' +
      'ruled_at reward reward_parts reward_reason slot_id waits_for placement attempts slot_wait_seconds ' +
      'created_at started_at ended_at seconds changed_xid',
    withheld: 'evaluator_seed proposer_seed',
  },
  updates: {
    granted:
      'research_id k state batch parent parent_checkpoint adjustments step_key checkpoint metrics versions seconds ' +
      'skipped fired failures reason held removed_at due_at begun_at ended_at',
  },
  wanted_runs: { granted: 'id research_id kind candidate_id of_trial n proposal' },
  worker_beats: { granted: 'worker_id host pid at' },
  workspace_files: { granted: 'task_hash path blob_hash content executable' },
};

/** Names in a list of `READER_RIGHTS`. */
export const columnNames = (list: string | undefined): string[] => list?.split(' ').filter((name) => name !== '') ?? [];
