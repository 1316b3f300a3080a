// Reads XML into columns, one entry per element: a document of millions of elements needs no objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/runtime/stop.hpp"

namespace sightline::load {

// Elements in the order of their start tags: parents come before their children.
struct XmlElements {
  std::vector<std::string> strings;  // each once: names, values of attributes, text

  // Per element.
  std::vector<std::int32_t> name;    // index into `strings`; without a namespace prefix
  std::vector<std::int32_t> parent;  // -1 for the root
  std::vector<std::int32_t> end;     // one behind its last descendant
  std::vector<std::int32_t> text;    // the text directly inside, -1 if there is none but white space

  // Per attribute.
  std::vector<std::int32_t> owner;  // the element, ascending
  std::vector<std::int32_t> key;
  std::vector<std::int32_t> value;

  // Per string: the number that it spells, else NaN; in single precision rounded only once.
  std::vector<double> numbers() const;
  std::vector<double> singles() const;
};

// Reads UTF-8. Throws std::invalid_argument that names the byte. Document types are refused, and with
// them every entity but the five of XML and those that name a character by its number.
XmlElements read_xml(std::string_view text, runtime::StopPoll& poll);

}  // namespace sightline::load
