// Reads XML into columns, one entry per element: a document of millions of elements needs no objects.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sightline/load/string_table.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::load {

// Elements in the order of their start tags: parents come before their children.
struct XmlElements {
  StringTable strings;  // names, values of attributes, text

  // Per element.
  std::vector<std::int32_t> name;    // index into `strings`; without a namespace prefix
  std::vector<std::int32_t> parent;  // -1 for the root
  std::vector<std::int32_t> end;     // one behind its last descendant
  std::vector<std::int32_t> text;    // the text directly inside, -1 if there is none but white space

  // The attributes of element e are those from attribute_begin[e] to attribute_begin[e + 1].
  std::vector<std::int64_t> attribute_begin;
  std::vector<std::int32_t> key;
  std::vector<std::int32_t> value;

  // The string of an attribute, -1 if it is absent: of one element, or of all.
  std::int32_t attribute(std::size_t element, std::int32_t key) const;
  void column(std::int32_t key, std::int32_t* result) const;

  // The number that a string spells, else NaN; in single precision rounded only once.
  double number(std::size_t string) const;
  double single(std::size_t string) const;
};

// Reads UTF-8. Throws std::invalid_argument that names the byte. Document types are refused, and with
// them every entity but the five of XML and those that name a character by its number.
XmlElements read_xml(std::string_view text, runtime::StopPoll& poll);

}  // namespace sightline::load
