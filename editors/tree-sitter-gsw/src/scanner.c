// What the lexer of tree-sitter cannot see alone: line breaks that end something, the text of strings, and, by looking
// ahead as the compiler does, the marks before words and brackets that mean something where they stand.

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"
#include <stdbool.h>
#include <string.h>

enum Token {
  NEWLINE,
  CONTEXTUAL,
  MODIFIED_MARK,
  STATEMENT_TEXT,
  PROMPT_LINE,
  EXAMPLE_MARK,
  SETTING_MARK,
  SETTINGS_MARK,
  RECORD_MARK,
  LAMBDA_MARK,
  HEAD_LAMBDA_MARK,
  MOCK_AGENT_MARK,
  WITH_MARK,
  GUARD_RECORD,
  GUARD_BEGIN,
  GUARD_END,
  PROMPT_BEGIN,
  PROMPT_END,
  LINE_CONTENT,
  BLOCK_CONTENT,
  RAW_STRING,
  ERROR_SENTINEL,
};

// How deeply strings inside of interpolations are followed when the partner of a parenthesis is looked for.
enum { DEEPEST_LOOK = 32 };

// The longest word that can mean something, and one byte more.
enum { WORD_SIZE = 16 };

typedef struct {
  // Whether a body of a prompt is being read, where `user (question)` is a text.
  bool in_prompt;
  // Whether a guard of an arm is being read, where `{` opens no body.
  bool in_guard;
} Scanner;

typedef struct {
  char text[WORD_SIZE];
  bool is_capitalised;
} Word;

// What stands after a word on its line.
typedef struct {
  int32_t first;
  // The word that starts there, if one does; empty otherwise.
  Word word;
  bool is_string;
} Next;

static const char *const KEYWORDS[] = {
    "and",  "as",   "assert", "await",  "break", "catch", "const",   "continue", "defer", "do",    "else",     "enum",
    "error", "fail", "false",  "fn",     "for",   "if",    "import",  "in",       "let",   "match", "none",     "not",
    "or",   "private", "race", "return", "self",  "spawn", "true",    "type",     "var",   "while", "workflow", NULL,
};
static const char *const JOINTS[] = {"and", "as", "catch", "else", "in", "or", NULL};
static const char *const CONTEXTUAL_WORDS[] = {
    "timeout", "retry",   "reflect", "budget", "limit",  "errors",     "agent",  "prompt",   "tool",    "mcp",
    "hook",    "human",   "external", "skill", "test",   "permissions", "step",  "parallel", "revise",  "state",
    "emit",    "mock",    "detached", "undo",  "was",    "user",       "system", "assistant", "example", "fails",
    "cassette", "backoff", "max",    "by",     "with",   "where",      "until",  "uses",     "pure",    "reads",
    "idempotent", "once", "then",    "call",   "answer", "pass",       "repeat", "trusted", NULL,
};
static const char *const MODIFIERS[] = {
    "timeout", "retry", "reflect", "budget", "limit", "errors", "backoff", "max", NULL,
};
static const char *const ROLES[] = {"user", "system", "assistant", NULL};
// The reserved words that begin a value which follows `user` on its line.
static const char *const VALUE_WORDS[] = {"self", "if", "match", "do", "true", "false", "none", NULL};

static bool is(const Word *word, const char *text) { return strcmp(word->text, text) == 0; }

static bool is_among(const Word *word, const char *const *list) {
  for (; *list != NULL; list++) {
    if (is(word, *list)) return true;
  }
  return false;
}

static bool is_blank(int32_t it) { return it == ' ' || it == '\t' || it == '\r'; }
static bool is_digit(int32_t it) { return it >= '0' && it <= '9'; }
static bool is_word_start(int32_t it) {
  return (it >= 'a' && it <= 'z') || (it >= 'A' && it <= 'Z') || it == '_';
}
static bool is_word_part(int32_t it) { return is_word_start(it) || is_digit(it); }

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }

static void skip_blanks(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) advance(lexer);
}

static void skip_line(TSLexer *lexer) {
  while (!lexer->eof(lexer) && lexer->lookahead != '\n') advance(lexer);
}

// Skips blanks, line breaks and comments; whether it stopped after a lone `/`, which only an operator is.
static bool skip_space(TSLexer *lexer) {
  for (;;) {
    if (is_blank(lexer->lookahead) || lexer->lookahead == '\n') {
      advance(lexer);
    } else if (lexer->lookahead == '/') {
      advance(lexer);
      if (lexer->lookahead != '/') return true;
      skip_line(lexer);
    } else {
      return false;
    }
  }
}

// Reads the word that starts here; longer ones are cut, since they mean nothing.
static Word read_word(TSLexer *lexer) {
  Word word = {{0}, false};
  unsigned length = 0;
  bool has_letter = false;
  while (is_word_part(lexer->lookahead)) {
    int32_t character = lexer->lookahead;
    if (!has_letter && character != '_') {
      has_letter = true;
      word.is_capitalised = character >= 'A' && character <= 'Z';
    }
    if (length + 1 < WORD_SIZE) word.text[length++] = (char)character;
    advance(lexer);
  }
  return word;
}

// Looking ahead for the partner of a bracket.

static void skip_balanced(TSLexer *lexer, int32_t close, unsigned depth);

// Skips a string whose opening quote is next.
static void skip_string(TSLexer *lexer, unsigned depth) {
  unsigned quotes = 0;
  while (lexer->lookahead == '"' && quotes < 3) {
    advance(lexer);
    quotes++;
  }
  if (quotes == 2) return;
  unsigned closing = 0;
  while (!lexer->eof(lexer)) {
    int32_t character = lexer->lookahead;
    if (quotes == 1 && character == '\n') return;
    advance(lexer);
    if (character == '"') {
      closing++;
      if (closing == quotes) return;
      continue;
    }
    closing = 0;
    if (character == '\\') {
      advance(lexer);
    } else if (character == '$' && lexer->lookahead == '{') {
      advance(lexer);
      skip_balanced(lexer, '}', depth + 1);
    }
  }
}

// Skips `#`s and a raw string after its `r`; false when there is none.
static bool skip_raw_string(TSLexer *lexer) {
  unsigned hashes = 0;
  while (lexer->lookahead == '#') {
    advance(lexer);
    hashes++;
  }
  if (lexer->lookahead != '"') return false;
  advance(lexer);
  while (!lexer->eof(lexer)) {
    int32_t character = lexer->lookahead;
    if (hashes == 0 && character == '\n') return true;
    advance(lexer);
    if (character != '"') continue;
    unsigned found = 0;
    while (found < hashes && lexer->lookahead == '#') {
      advance(lexer);
      found++;
    }
    if (found == hashes) return true;
  }
  return true;
}

// Skips to after the bracket that closes what was opened just now.
static void skip_balanced(TSLexer *lexer, int32_t close, unsigned depth) {
  if (depth > DEEPEST_LOOK) return;
  unsigned open = 0;
  int32_t opener = close == ')' ? '(' : '{';
  while (!lexer->eof(lexer)) {
    int32_t character = lexer->lookahead;
    if (character == '"') {
      skip_string(lexer, depth);
    } else if (character == '/') {
      advance(lexer);
      if (lexer->lookahead == '/') skip_line(lexer);
    } else if (is_word_start(character)) {
      Word word = read_word(lexer);
      if (is(&word, "r")) skip_raw_string(lexer);
    } else {
      advance(lexer);
      if (character == opener) open++;
      if (character == close && open-- == 0) return;
    }
  }
}

// Whether a block or another modifier follows the parenthesis that opens here.
static bool is_head_of_block(TSLexer *lexer) {
  advance(lexer);
  skip_balanced(lexer, ')', 0);
  skip_blanks(lexer);
  if (lexer->lookahead == '{') return true;
  Word word = read_word(lexer);
  return is_among(&word, MODIFIERS);
}

// Words.

static Next look_after(TSLexer *lexer) {
  skip_blanks(lexer);
  Next next = {lexer->eof(lexer) ? '\n' : lexer->lookahead, {{0}, false}, lexer->lookahead == '"'};
  if (is_word_start(next.first)) {
    next.word = read_word(lexer);
    next.is_string = is(&next.word, "r") && (lexer->lookahead == '"' || lexer->lookahead == '#');
  }
  return next;
}

static bool is_name(const Next *next) {
  return is_word_start(next->first) && !next->is_string && !is(&next->word, "_") && !is_among(&next->word, KEYWORDS);
}

static bool starts_expression(const Next *next) {
  if (is_word_start(next->first)) return !is_among(&next->word, JOINTS);
  return is_digit(next->first) || (next->first != 0 && strchr("\"([{-", next->first) != NULL);
}

// Line breaks.

// Whether what stands here goes on with the line before.
static bool continues_line(TSLexer *lexer) {
  int32_t first = lexer->lookahead;
  if (is_word_start(first)) {
    Word word = read_word(lexer);
    if (is(&word, "then")) {
      // The next outcome of a mock.
      Next next = look_after(lexer);
      return next.first != '(' && next.first != '[' && starts_expression(&next);
    }
    if (is(&word, "not")) {
      Next next = look_after(lexer);
      return is(&next.word, "in");
    }
    bool joins = is(&word, "or") || is(&word, "and") || is(&word, "in") || is(&word, "catch") || is(&word, "else");
    if (!joins) return false;
    // A field may have any word for a name.
    skip_blanks(lexer);
    return lexer->lookahead != ':';
  }
  advance(lexer);
  int32_t second = lexer->lookahead;
  switch (first) {
    case '<': case '>': case '|': case ',': case ';':
    case ')': case ']': case '}':
      return true;
    case '*': case '/': case '%': case '+':
      return second != '=';
    case '=':
      return second == '=';
    // The errors of a head, or an operator.
    case '!':
      return true;
    // The result of a head.
    case '-':
      return second == '>';
    case '?':
      return second == '?' || second == '.';
    case '.':
      return second != '.';
    default:
      return false;
  }
}

// Words that mean something.

// Whether a value that is no string follows, so that it and the word before it could be nothing else, or be a call.
static bool is_before_value(const Next *next) {
  if (next->is_string) return false;
  if (next->first == '(' || is_digit(next->first)) return true;
  if (is(&next->word, "by") || is(&next->word, "with")) return false;
  return is_name(next) || is_among(&next->word, VALUE_WORDS);
}

// Whether a modifier starts a block here and is no ordinary name.
static bool starts_modified(TSLexer *lexer, const Word *word, const Next *next) {
  if (is(word, "timeout") || is(word, "retry")) {
    if (is_digit(next->first)) return true;
    if (next->first == '(') return is_head_of_block(lexer);
    return is_name(next) && !is_among(&next->word, CONTEXTUAL_WORDS);
  }
  if (is(word, "budget")) return next->first == '(' && is_head_of_block(lexer);
  return is(word, "reflect") && is_digit(next->first);
}

// Whether the word, which begins no modifier here, means something before what follows it.
static bool is_contextual(TSLexer *lexer, const Word *word, const Next *next) {
  if (is(word, "step")) return next->is_string;
  if (is(word, "parallel")) return next->first == '(' || is(&next->word, "for");
  if (is(word, "revise") || is(word, "detached") || is(word, "mock")) return is_name(next);
  if (is(word, "emit")) return starts_expression(next);
  if (is_among(word, ROLES)) return next->is_string;
  if (is(word, "reflect") && is_name(next)) return true;
  if (is(word, "state")) {
    skip_blanks(lexer);
    return is_name(next) && lexer->lookahead == ':';
  }
  if (is(word, "undo")) {
    if (next->first == '{') return true;
    Word modifier = next->word;
    if (!is_among(&modifier, MODIFIERS)) return false;
    Next after = look_after(lexer);
    return starts_modified(lexer, &modifier, &after);
  }
  return false;
}

// The entry of a prompt or of settings that the word starts, if it starts one.
static enum Token find_entry(TSLexer *lexer, const Word *word, const Next *next) {
  // Words with dots between them, and a colon.
  while (lexer->lookahead == '.') {
    advance(lexer);
    skip_blanks(lexer);
    read_word(lexer);
    skip_blanks(lexer);
  }
  if ((next->first == '.' || next->first == ':') && lexer->lookahead == ':') return SETTING_MARK;
  bool is_text = next->is_string || next->first == '(';
  if (is(word, "example") && is_text) return EXAMPLE_MARK;
  if (is_among(word, ROLES) && (is_text || is_before_value(next))) return PROMPT_LINE;
  return ERROR_SENTINEL;
}

// Whether a record of the type that starts with the word is written here.
static bool opens_record(TSLexer *lexer, const Word *word, const Next *next) {
  if (next->first != '.') return word->is_capitalised && next->first == '{';
  advance(lexer);
  skip_blanks(lexer);
  Word second = read_word(lexer);
  skip_blanks(lexer);
  return second.is_capitalised && lexer->lookahead == '{';
}

// Whether `=>` stands here.
static bool is_arrow(TSLexer *lexer) {
  if (lexer->lookahead != '=') return false;
  advance(lexer);
  return lexer->lookahead == '>';
}

// The mark before the word that starts here, if it needs one.
static bool mark_word(Scanner *scanner, TSLexer *lexer, const bool *valid, Word word) {
  bool is_reserved = is_among(&word, KEYWORDS);
  Next next = look_after(lexer);
  // Entries may stand beside each other with nothing between them.
  if (valid[SETTING_MARK] || (valid[NEWLINE] && !valid[CONTEXTUAL])) {
    enum Token entry = find_entry(lexer, &word, &next);
    if (entry != ERROR_SENTINEL) {
      lexer->result_symbol = valid[SETTING_MARK] ? entry : NEWLINE;
      return true;
    }
    if (next.first == '.') return false;
  }
  if (is_reserved) return false;
  bool may_be_lambda = valid[LAMBDA_MARK] || (valid[HEAD_LAMBDA_MARK] && !scanner->in_guard);
  if (may_be_lambda && next.first == '=' && is_arrow(lexer)) {
    lexer->result_symbol = valid[LAMBDA_MARK] ? LAMBDA_MARK : HEAD_LAMBDA_MARK;
    return true;
  }
  if (valid[STATEMENT_TEXT] && scanner->in_prompt && is_among(&word, ROLES) && is_before_value(&next)) {
    lexer->result_symbol = STATEMENT_TEXT;
    return true;
  }
  if (valid[WITH_MARK] && is(&word, "with") && next.first == '{') {
    lexer->result_symbol = WITH_MARK;
    return true;
  }
  bool may_be_record = valid[RECORD_MARK] || (valid[GUARD_RECORD] && scanner->in_guard);
  if (may_be_record && opens_record(lexer, &word, &next)) {
    lexer->result_symbol = valid[RECORD_MARK] ? RECORD_MARK : GUARD_RECORD;
    return true;
  }
  if (valid[MOCK_AGENT_MARK] && is(&word, "mock") && is(&next.word, "agent")) {
    skip_blanks(lexer);
    lexer->result_symbol = is_word_start(lexer->lookahead) ? MOCK_AGENT_MARK : CONTEXTUAL;
    return true;
  }
  if (!valid[CONTEXTUAL]) return false;
  lexer->result_symbol = is_contextual(lexer, &word, &next) ? CONTEXTUAL : MODIFIED_MARK;
  return lexer->result_symbol == CONTEXTUAL || starts_modified(lexer, &word, &next);
}

// Brackets.

static bool mark_parenthesis(TSLexer *lexer) {
  advance(lexer);
  skip_balanced(lexer, ')', 0);
  skip_space(lexer);
  return is_arrow(lexer);
}

static bool mark_settings(TSLexer *lexer) {
  advance(lexer);
  skip_space(lexer);
  if (!is_word_start(lexer->lookahead)) return false;
  Word word = read_word(lexer);
  skip_space(lexer);
  if (word.is_capitalised || lexer->lookahead != ':') return false;
  lexer->result_symbol = SETTINGS_MARK;
  return true;
}

// Text.

// The text up to a quote that ends it, an escape or an interpolation.
static bool scan_text(TSLexer *lexer, bool is_block) {
  bool has_text = false;
  lexer->result_symbol = is_block ? BLOCK_CONTENT : LINE_CONTENT;
  while (!lexer->eof(lexer)) {
    lexer->mark_end(lexer);
    int32_t character = lexer->lookahead;
    if (character == '\\') return has_text;
    if (!is_block && (character == '"' || character == '\n')) return has_text;
    advance(lexer);
    if (character == '$' && lexer->lookahead == '{') return has_text;
    if (character == '"' && lexer->lookahead == '"') {
      advance(lexer);
      if (lexer->lookahead == '"') return has_text;
    }
    has_text = true;
  }
  lexer->mark_end(lexer);
  return has_text;
}

bool tree_sitter_gsw_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  if (valid[ERROR_SENTINEL]) return false;
  if (valid[LINE_CONTENT] || valid[BLOCK_CONTENT]) return scan_text(lexer, valid[BLOCK_CONTENT]);
  for (enum Token mark = GUARD_BEGIN; mark <= PROMPT_END; mark++) {
    if (!valid[mark]) continue;
    if (mark == GUARD_BEGIN || mark == GUARD_END) scanner->in_guard = mark == GUARD_BEGIN;
    if (mark == PROMPT_BEGIN || mark == PROMPT_END) scanner->in_prompt = mark == PROMPT_BEGIN;
    lexer->result_symbol = mark;
    lexer->mark_end(lexer);
    return true;
  }

  lexer->mark_end(lexer);
  bool has_line_break = false;
  while (is_blank(lexer->lookahead) || lexer->lookahead == '\n') {
    has_line_break |= lexer->lookahead == '\n';
    lexer->advance(lexer, true);
  }
  if (lexer->lookahead == '/') {
    // A comment is read first, unless the line ends with it. A line break is looked for after it.
    advance(lexer);
    if (lexer->lookahead != '/' || !valid[NEWLINE]) return false;
    skip_line(lexer);
    lexer->result_symbol = NEWLINE;
    return !skip_space(lexer) && !lexer->eof(lexer) && !continues_line(lexer);
  }
  if (has_line_break && valid[NEWLINE]) {
    lexer->result_symbol = NEWLINE;
    return !lexer->eof(lexer) && !continues_line(lexer);
  }
  lexer->mark_end(lexer);
  enum Token lambda = valid[LAMBDA_MARK] ? LAMBDA_MARK : HEAD_LAMBDA_MARK;
  bool may_be_lambda = valid[LAMBDA_MARK] || (valid[HEAD_LAMBDA_MARK] && !scanner->in_guard);
  if (lexer->lookahead == '(') {
    lexer->result_symbol = lambda;
    return may_be_lambda && mark_parenthesis(lexer);
  }
  if (lexer->lookahead == '{' && valid[GUARD_RECORD] && scanner->in_guard) {
    lexer->result_symbol = GUARD_RECORD;
    return true;
  }
  if (lexer->lookahead == '{') return valid[SETTINGS_MARK] && mark_settings(lexer);
  if (!is_word_start(lexer->lookahead)) return false;
  Word word = read_word(lexer);
  if (is(&word, "r") && (lexer->lookahead == '"' || lexer->lookahead == '#')) {
    if (!valid[RAW_STRING] || !skip_raw_string(lexer)) return false;
    lexer->mark_end(lexer);
    lexer->result_symbol = RAW_STRING;
    return true;
  }
  return mark_word(scanner, lexer, valid, word);
}

void *tree_sitter_gsw_external_scanner_create(void) { return ts_calloc(1, sizeof(Scanner)); }

void tree_sitter_gsw_external_scanner_destroy(void *payload) { ts_free(payload); }

unsigned tree_sitter_gsw_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  buffer[0] = (char)scanner->in_prompt;
  buffer[1] = (char)scanner->in_guard;
  return 2;
}

void tree_sitter_gsw_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  scanner->in_prompt = length == 2 && buffer[0] != 0;
  scanner->in_guard = length == 2 && buffer[1] != 0;
}
