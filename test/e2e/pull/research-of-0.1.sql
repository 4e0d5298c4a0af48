-- A research as Perpetua 0.1 left it: a baseline run has ended, and its second trial is in the middle of its run, on a slot of
-- the host old-box. {home} and {run} stand for the home, and for the run of the workflow that is in charge.
insert into slots ("id", "pool", "host", "index", "state", "fence")
  values ('old-box/local/0', 'local', 'old-box', 0, 'free', 2);
insert into slots ("id", "pool", "host", "index", "state", "trial_id", "fence", "free_since", "leased_at")
  values ('old-box/local/1', 'local', 'old-box', 1, 'leased', 'pulled/2', 3, '2026-11-27T09:49:11.269757+00:00', '2026-11-27T09:49:17.737182+00:00');
insert into blobs ("hash", "content")
  values ('711134f9996849aea7550987b4c2e4a195fa29eb4b762d9fef47e62991c14edb', '\x583d312e350a');
insert into blobs ("hash", "content")
  values ('b667cb9149d161301d8ed7257a1ce0efaf1946047bf80b1ce7e4f67c46bc4eb7', '\x2e202e2f6b6e6f62732e656e760a6563686f20222450455250455455415f5345454422203e3e202224535441525453220a6563686f2022737465702031206c6f737320322e35220a7768696c65205b202d65202224484f4c4422205d3b20646f20736c656570202e313b20646f6e650a6563686f2022737465702032206c6f737320312e35220a6563686f2022245822203e206f75742e7478740a');
insert into blobs ("hash", "content")
  values ('586ba0d35801c40531f9d89403313743955bdadb404c1e2e5ae00f2dff22a065', '\x783d2428636174206172746566616374732f6f75742e747874290a7072696e746620277b2273636f7265223a2025737d27202224286563686f2022247822207c2061776b20277b7072696e7420302d2824312d37292a2824312d37297d272922203e26330a');
insert into blobs ("hash", "content")
  values ('03c76d47c407b24353b3121bd96490373bd6c5de05f6b3d32bd420c4810f1160', '\x312e350a');
insert into blobs ("hash", "content")
  values ('ec1809e41ebd387683fb1245a5e9d011633a371d459288b264337bb287def120', '\x583d322e3434380a');
insert into task_versions ("hash", "name", "task", "yaml", "stage_hash", "immutable_hash", "evaluator_hash", "metric_key", "mutable_paths", "created_at")
  values ('0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'pulled', '{"llm":{"attempts":3,"maxTokens":16384,"temperature":1,"deadlineSeconds":300},"run":{"env":{"HOLD":"{home}/hold","STARTS":"{home}/starts"},"budget":{"kind":"wall","seconds":60},"command":"sh run.sh","passEnv":[],"sandbox":"none","artefacts":[{"path":"out.txt","maxMb":16}],"resources":{"pool":"local","files":200000,"diskMb":64,"memoryMb":2048,"outputMb":16,"processes":64},"graceSeconds":5,"timeoutSeconds":900},"keep":{"policy":"strict","falseKeepsPer200":0.05},"name":"pulled","abort":{"audit":{"first":30,"share":0.05},"burnIn":0.1,"cadence":0.05,"errorTarget":0.02},"knobs":[{"file":"knobs.env","name":"X","type":"float","range":[0,20],"scale":"linear"}],"budget":{"counts":["search","injected"],"whenSpent":"stop"},"metric":{"max":0,"from":"evaluator","name":"score","format":"regex","minDelta":0,"direction":"maximize"},"search":{"abort":"none","parent":"original","update":"none","window":1,"context":"history","history":20,"novelty":"exact","proposer":"random","specialists":"none"},"mutable":["knobs.env"],"repeats":1,"progress":{"step":"step","value":"loss","format":"regex","pattern":"step (?<step>\\S+) loss (?<value>\\S+)"},"evaluator":{"type":"artefact","files":"evaluator","command":"sh score.sh","timeoutSeconds":60},"immutable":[],"secondary":[],"workspace":"workspace","description":"Find the top of a parabola."}', 'name: pulled
description: Find the top of a parabola.
mutable:
  - knobs.env
run:
  command: sh run.sh
  budget:
    seconds: 60
    kind: wall
  timeoutSeconds: 900
  artefacts:
    - path: out.txt
  sandbox: none
  resources:
    diskMb: 64
    pool: local
  env:
    STARTS: {home}/starts
    HOLD: {home}/hold
metric:
  name: score
  direction: maximize
  max: 0
progress:
  pattern: step (?<step>\S+) loss (?<value>\S+)
evaluator:
  type: artefact
  command: sh score.sh
keep:
  policy: strict
search:
  parent: original
  proposer: random
  window: 1
  abort: none
knobs:
  - file: knobs.env
    name: X
    type: float
    range:
      - 0
      - 20
', '58e1e78037d21f448013fa5d845f62f642a9f1e234daf27d20f09534e7e0f9e4', '10f29ee1ea8f869d03e82f1e2f25c611a5ce590e25f30e610cd984e1d7ab6932', 'bbc61d38e3e4ac521f86aa503b7365d118fbd49b1f1c789bd7fffbfa4d342b40', '0f2b23978ea6229fad7f413c8cae06d97538b89bde40c0827bf4fd781645189e', '["knobs.env"]', '2026-11-27T09:49:14.76025+00:00');
insert into task_files ("task_hash", "role", "path", "blob_hash", "executable")
  values ('0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'workspace', 'knobs.env', '711134f9996849aea7550987b4c2e4a195fa29eb4b762d9fef47e62991c14edb', false);
insert into task_files ("task_hash", "role", "path", "blob_hash", "executable")
  values ('0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'workspace', 'run.sh', 'b667cb9149d161301d8ed7257a1ce0efaf1946047bf80b1ce7e4f67c46bc4eb7', false);
insert into task_files ("task_hash", "role", "path", "blob_hash", "executable")
  values ('0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'evaluator', 'score.sh', '586ba0d35801c40531f9d89403313743955bdadb404c1e2e5ae00f2dff22a065', false);
insert into candidates ("id", "immutable_hash", "files", "created_at")
  values ('038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3', '10f29ee1ea8f869d03e82f1e2f25c611a5ce590e25f30e610cd984e1d7ab6932', '{"knobs.env":"711134f9996849aea7550987b4c2e4a195fa29eb4b762d9fef47e62991c14edb"}', '2026-11-27T09:49:14.871715+00:00');
insert into candidates ("id", "immutable_hash", "files", "created_at")
  values ('31bd8de1cc187ec5d04a1a31dea2eff4fcaaf77bbe346d21e3c150fea193e556', '10f29ee1ea8f869d03e82f1e2f25c611a5ce590e25f30e610cd984e1d7ab6932', '{"knobs.env":"ec1809e41ebd387683fb1245a5e9d011633a371d459288b264337bb287def120"}', '2026-11-27T09:49:17.6281+00:00');
insert into researches ("id", "task_hash", "proposer", "phase", "last_n", "budget", "gate_config", "gate", "baseline_candidate", "window", "active_seconds", "created_at", "updated_at", "run_id", "admitted")
  values ('pulled', '0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'random', 'running', 2, '{"counts":["search","injected"],"trials":3,"whenSpent":"stop"}', '{"parent":"original","policy":"strict","repeats":1,"minDelta":0,"direction":"maximize","baselineRuns":1,"falseKeepsPer200":0.05}', '{"held":[],"sign":1,"asked":[],"noise":{"df":0,"ss":0},"prior":{"n":0,"weights":[0.001845125809461032,0.002179758588053944,0.002575080505530845,0.003042098169176196,0.0035938143491158155,0.004245590003233944,0.0050155719590787105,0.005925198160334582,0.00699979454500363,0.008269280173660184,0.009769000240056894,0.01154071015687821,0.013633738115692394,0.01610635848925646,0.01902741431463011,0.022478234030497132,0.026554895834758705,0.031370902706954765,0.0370603425738561,0.04378162160399292,0.05172187457402055,0.06110217510095008,0.0721836908042474,0.08527495477067182,0.3022213673249404,0.04094627328454636,0.029956933482094463,0.02191696073081525,0.016034791009674247,0.011731303709570783,0.0085828051418417,0.006279314381974987,0.004594044540922324,0.0033610747862157717,0.002459014843653951,0.0017990536914290135,0.0013162157979636157,0.0009629640488566565,0.0007045195482572674,0.0005154375124034448,0.0003771021398197386,0.00027589381920134254,0.00020184823005748133,0.00014767531978527064,0.00010804157196459723,0.00007904490262526266,0.0000578304861492076,0.000042309687496342574,0.00003095442862817254]},"queue":[],"raced":0,"races":[],"trail":[],"claims":0,"effort":12.15,"leadId":"038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3","probes":[],"account":0.015,"counted":{"high":1,"holes":[]},"drifted":0,"rawBest":null,"version":1,"baseline":{"series":{"n":1,"m2":0,"max":-30.25,"min":-30.25,"mean":-30.25},"values":[-30.25]},"searched":0,"subjects":[{"fresh":{"n":1,"m2":0,"max":-30.25,"min":-30.25,"mean":-30.25},"belief":{"mean":-30.25,"variance":0},"screen":{"n":0,"m2":0,"max":0,"min":0,"mean":0},"values":[-30.25],"ofTrial":null,"failures":0,"parentId":null,"candidateId":"038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3"}],"crownedId":null,"gathering":[],"sinceMove":0,"baselineId":"038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3","previousId":null,"calibrating":null,"incumbentId":"038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3"}', '038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3', 1, 3.538, '2026-11-27T09:49:14.871715+00:00', '2026-11-27T09:49:17.553262+00:00', '{run}', '{"search":1,"baseline":1}');
insert into trials ("id", "research_id", "n", "kind", "seed", "task_hash", "pool", "admission", "candidate_id", "ready_at", "status", "value", "metrics", "trusted", "verdict", "reason", "slot_id", "attempts", "slot_wait_seconds", "created_at", "started_at", "ended_at", "seconds", "ruled_at")
  values ('pulled/1', 'pulled', 1, 'baseline', 1212247120, '0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'local', '{run}/1', '038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3', '2026-11-27T09:49:15.064218+00:00', 'completed', -30.25, '{"score":-30.25}', false, 'none', 'a baseline run: it informs, it is not ruled on', 'old-box/local/0', 1, 4.557139, '2026-11-27T09:49:15.064218+00:00', '2026-11-27T09:49:16.468701+00:00', '2026-11-27T09:49:17.100946+00:00', 0.19, '2026-11-27T09:49:17.108292+00:00');
insert into trials ("id", "research_id", "n", "kind", "seed", "task_hash", "pool", "admission", "candidate_id", "parent_id", "proposer", "hypothesis", "edits", "staleness", "context_ended", "ready_at", "slot_id", "attempts", "slot_wait_seconds", "created_at", "started_at")
  values ('pulled/2', 'pulled', 2, 'search', 1229024485, '0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9', 'local', '{run}/2', '31bd8de1cc187ec5d04a1a31dea2eff4fcaaf77bbe346d21e3c150fea193e556', '038fd1094b02b0b453031a9c1ff9886b23562ab26e9a44c79cd641ddd1e68cc3', 'random', 'X 1.5 → 2.448 (knobs.env)', '[{"path":"knobs.env","search":"X=1.5","replace":"X=2.448"}]', 0, 1, '2026-11-27T09:49:17.6281+00:00', 'old-box/local/1', 1, 6.467425, '2026-11-27T09:49:17.342041+00:00', '2026-11-27T09:49:17.912084+00:00');
insert into runs ("trial_id", "placement", "host", "slot_id", "fence", "follower", "log_offset", "reader", "end", "log_tail", "launched_at", "ended_at")
  values ('pulled/1', 0, 'old-box', 'old-box/local/0', 2, 1, 32, '{"seq":2,"read":0.152,"rules":{"above":0,"first":2.5,"broken":null}}', '{"reason":"exit","signal":null,"changed":[],"endedAt":"2026-11-27T09:49:16.647Z","missing":[],"exitCode":0,"maxRssMb":0,"tooLarge":[],"treeGone":true,"sandboxed":false,"startedAt":"2026-11-27T09:49:16.457Z","upSeconds":1817.9,"cpuSeconds":0.022000000000000002,"containment":"pid-namespace","outputBytes":32,"wallSeconds":0.19}', 'step 1 loss 2.5
step 2 loss 1.5
', '2026-11-27T09:49:16.468701+00:00', '2026-11-27T09:49:16.725092+00:00');
insert into runs ("trial_id", "placement", "host", "slot_id", "fence", "follower", "log_offset", "reader", "launched_at")
  values ('pulled/2', 0, 'old-box', 'old-box/local/1', 3, 1, 16, '{"seq":1,"rules":{"above":0,"first":2.5,"broken":null}}', '2026-11-27T09:49:17.912084+00:00');
insert into points ("trial_id", "placement", "seq", "step", "elapsed", "value")
  values ('pulled/1', 0, 0, 1, 0.17, 2.5);
insert into points ("trial_id", "placement", "seq", "step", "elapsed", "value")
  values ('pulled/1', 0, 1, 2, 0.17, 1.5);
insert into points ("trial_id", "placement", "seq", "step", "elapsed", "value")
  values ('pulled/2', 0, 0, 1, 0.074, 2.5);
insert into artefacts ("trial_id", "placement", "path", "blob_hash", "size")
  values ('pulled/1', 0, 'out.txt', '03c76d47c407b24353b3121bd96490373bd6c5de05f6b3d32bd420c4810f1160', 4);
