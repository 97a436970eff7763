// How rows are described: each once, next to its struct, by a function template that names every
// member with its column and its meaning. `Select` and `Read` (read.hpp) and `Write`
// (server/api/row_json.hpp) are what it is called with, and tests/contract/row_schemas.hpp, which
// compares schemas/openapi.yaml with it.
//
//   void fields(auto& f, Of<TokenRow> auto& r) {
//     f("id", r.id, "id")("name", r.name, "name");
//     f("created_by", r.created_by, "created_by", "Null where the server made it by itself");
//   }
//
//   f(key, member, sql, help, schema)       read from a column and written; null where an optional
//                                           is empty. A RunId has two columns, an AttemptId three.
//                                           `schema`, a type or a $ref, replaces the member's
//   f.filled(key, text, sql, help, schema)  the same of a text that is null where it is empty
//   f.cost(key, score, sql, help)           read from the cost of a score (db/sql.hpp)
//   f.goal(sql)                             read: the goal of the costs that follow
//   f.stored(key, text, sql, schema, help, none)  JSON text; `none`: what it is where it is empty
//   f.hidden(member, sql)                   read, and not written
//   f.also(key, member, help)               written, and not read
//   f.computed(key, schema, help)           written: the next of the values that `write` was given
//   f.nested(key, row, help)                a row in this one. An optional one is empty where its
//                                           first column is null
//   f.group(key, members)                   members(f) under one key
//   f.of_one(key, schema, help)             added by routes that return one object
//
// To add a member: in the struct, and its line. HONE_REWRITE=1 schemas_contract_test writes its
// schema.
#pragma once

#include <string_view>

#include "base/of.hpp"

namespace hone::row {

enum class None { null, text, list };

template <class T>
inline constexpr bool is_optional = requires(T t) {
  t.has_value();
  t.reset();
};

// What those that read columns have in common: what is written alone does not concern them.
template <class Self>
class Interpreter {
 public:
  Self& filled(auto key, auto& text, auto... more) { return self()(key, text, more...); }
  Self& stored(auto key, auto& text, auto... more) { return self()(key, text, more...); }
  Self& hidden(auto& member, std::string_view sql) { return self()("", member, sql); }
  Self& group(std::string_view, const auto& members) {
    members(self());
    return self();
  }
  Self& also(auto&&...) { return self(); }
  Self& computed(auto&&...) { return self(); }
  Self& of_one(auto&&...) { return self(); }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace hone::row
