//! All names that an exported trace holds, so that a change of the conventions is a change of this file.
//!
//! The GenAI conventions of OpenTelemetry are in development and have no released schema; these are the names of the drafts that
//! collectors know. Names that begin with `groundswell` are ours.

pub const SCOPE: &str = "groundswell";
pub const DEFAULT_SERVICE: &str = "unknown_service:groundswell";

pub const SERVICE_NAME: &str = "service.name";
pub const SDK_NAME: &str = "telemetry.sdk.name";
pub const SDK_LANGUAGE: &str = "telemetry.sdk.language";
pub const SDK_VERSION: &str = "telemetry.sdk.version";
pub const PROCESS_ID: &str = "process.pid";

pub const OPERATION: &str = "gen_ai.operation.name";
pub const OPERATION_WORKFLOW: &str = "invoke_workflow";
pub const OPERATION_AGENT: &str = "invoke_agent";
pub const OPERATION_CHAT: &str = "chat";
pub const OPERATION_TOOL: &str = "execute_tool";

pub const WORKFLOW_NAME: &str = "gen_ai.workflow.name";
pub const AGENT_NAME: &str = "gen_ai.agent.name";
pub const PROVIDER: &str = "gen_ai.provider.name";
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub const RESPONSE_ID: &str = "gen_ai.response.id";
pub const FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
pub const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub const CACHE_WRITE_TOKENS: &str = "gen_ai.usage.cache_creation.input_tokens";
pub const TOOL_NAME: &str = "gen_ai.tool.name";
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
pub const TOOL_TYPE_FUNCTION: &str = "function";
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub const TOOL_RESULT: &str = "gen_ai.tool.call.result";

pub const HTTP_STATUS: &str = "http.response.status_code";
pub const ERROR_TYPE: &str = "error.type";
pub const EXCEPTION: &str = "exception";
pub const EXCEPTION_TYPE: &str = "exception.type";
pub const EXCEPTION_MESSAGE: &str = "exception.message";
pub const EXCEPTION_STACKTRACE: &str = "exception.stacktrace";

pub const RUN: &str = "groundswell.run";
pub const NODE: &str = "groundswell.node.id";
pub const KIND: &str = "groundswell.node.kind";
pub const NAME: &str = "groundswell.node.name";
pub const INDEX: &str = "groundswell.node.index";
pub const STATUS: &str = "groundswell.node.status";
pub const ATTEMPTS: &str = "groundswell.attempts";
pub const COST: &str = "groundswell.cost_usd";
pub const CACHED: &str = "groundswell.prompt.cached";
pub const SIMULATED: &str = "groundswell.prompt.simulated";
pub const INPUT: &str = "groundswell.node.input";
pub const OUTPUT: &str = "groundswell.node.output";
pub const LEVEL: &str = "level";
pub const MESSAGE: &str = "message";
/// The prefix of the name of an event's field, and of an event that has none of its own.
pub const PREFIX: &str = "groundswell.";
