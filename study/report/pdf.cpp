#include "study/report/pdf.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "study/report/svg.hpp"

namespace hone::study {
namespace {

constexpr double font_size = 12;

// Widths of Helvetica's characters from the blank to the tilde, in thousandths of its size (Adobe's
// font metrics). Others count as a digit.
constexpr std::array<int, 95> widths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

double width_of(const std::string& text) {
  double sum = 0;
  for (const char c : text) {
    const auto place = static_cast<std::size_t>(static_cast<unsigned char>(c)) - ' ';
    sum += place < widths.size() ? widths[place] : 556;
  }
  return sum * font_size / 1000;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The text of an element in Latin-1.
std::string plain_text_of(std::string_view escaped) {
  std::string text(escaped);
  for (const auto& [entity, c] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""),
        std::pair("&#39;", "'"), std::pair("&amp;", "&")})
    text = replaced(std::move(text), entity, c);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      out += text[i];
    } else if ((c == 0xc2 || c == 0xc3) && i + 1 < text.size()) {
      out += static_cast<char>((c & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
    } else if (c >= 0xc0) {
      out += '?';
    }
  }
  return out;
}

std::string in_parentheses(const std::string& text) {
  std::string out = "(";
  for (const char c : text) {
    if (c == '(' || c == ')' || c == '\\') out += '\\';
    out += c;
  }
  return out + ")";
}

double number_of(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

// "0.8 0.2 0" of "#cc3300" and of "#c30".
std::string colour_text(std::string_view colour) {
  const std::size_t digits = colour.size() == 4 ? 1 : 2;
  std::string out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string part(colour.substr(std::min(1 + i * digits, colour.size()), digits));
    const double level = static_cast<double>(std::strtol(part.c_str(), nullptr, 16));
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.3f", level / (digits == 1 ? 15 : 255));
    out += (i > 0 ? " " : "") + std::string(text.data());
  }
  return out;
}

using Attributes = std::map<std::string, std::string, std::less<>>;

struct Element {
  std::string name;
  Attributes attributes;
  std::string text;
};

// The attributes of `<name a="1" b="2">`, without the brackets.
Element element_of(std::string_view tag) {
  Element element{std::string(tag.substr(0, tag.find_first_of(" /"))), {}, {}};
  for (auto equals = tag.find("=\""); equals != std::string_view::npos;) {
    const auto begin = tag.rfind(' ', equals) + 1;
    const auto end = tag.find('"', equals + 2);
    if (end == std::string_view::npos) break;
    element.attributes[std::string(tag.substr(begin, equals - begin))] =
        tag.substr(equals + 2, end - equals - 2);
    equals = tag.find("=\"", end);
  }
  return element;
}

class Drawing {
 public:
  void draw(const Element& element) {
    attributes_ = &element.attributes;
    if (element.name == "g") halo_ = !given("stroke").empty();
    if (element.name == "/g") halo_ = false;
    if (element.name == "line") stroke(at("x1", "y1") + " m " + at("x2", "y2") + " l");
    if (element.name == "circle") circle();
    if (element.name == "path") path();
    if (element.name == "text") text(plain_text_of(element.text));
  }

  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] const std::vector<std::string>& opacities() const { return opacities_; }

 private:
  [[nodiscard]] std::string given(std::string_view name) const {
    const auto found = attributes_->find(name);
    return found == attributes_->end() ? "" : found->second;
  }
  [[nodiscard]] double number(std::string_view name) const { return number_of(given(name)); }
  [[nodiscard]] std::string at(std::string_view x, std::string_view y) const {
    return pixels(number(x)) + " " + pixels(number(y));
  }

  void stroke(const std::string& shape) {
    const std::string dash = given("stroke-dasharray");
    body_ += "q " + colour_text(given("stroke")) + " RG " + pixels(number("stroke-width")) +
             " w [" + dash + "] 0 d " + shape + " S Q\n";
  }

  void fill(const std::string& shape) {
    body_ += "q " + opacity() + colour_text(given("fill")) + " rg " + shape + " f Q\n";
  }

  // Chooses the graphics state of the opacity.
  std::string opacity() {
    const std::string wanted = given("fill-opacity");
    if (wanted.empty()) return "";
    auto found = std::ranges::find(opacities_, wanted);
    if (found == opacities_.end()) found = opacities_.insert(found, wanted);
    return "/G" + std::to_string(found - opacities_.begin()) + " gs ";
  }

  // Four curves of Bezier, whose middle points are off by less than a thousandth of the radius.
  void circle() {
    constexpr double handle = 0.5523;
    const double x = number("cx"), y = number("cy"), r = number("r");
    const auto point = [&](double dx, double dy) {
      std::array<char, 48> text{};
      std::snprintf(text.data(), text.size(), "%.2f %.2f ", x + r * dx, y + r * dy);
      return std::string(text.data());
    };
    std::string shape = point(1, 0) + "m ";
    double dx = 1, dy = 0;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const double nx = -dy, ny = dx;
      shape += point(dx + handle * nx, dy + handle * ny) +
               point(nx + handle * dx, ny + handle * dy) + point(nx, ny) + "c ";
      dx = nx, dy = ny;
    }
    fill(shape);
  }

  // M1 2L3 4Z
  void path() {
    std::string shape, number;
    const std::string data = given("d");
    char open = 0;
    const auto end = [&] {
      if (open != 0) shape += number + (open == 'M' ? " m " : " l ");
      number.clear();
      open = 0;
    };
    for (const char c : data) {
      if (c == 'M' || c == 'L' || c == 'Z') {
        end();
        open = c == 'Z' ? '\0' : c;
        if (c == 'Z') shape += "h ";
      } else {
        number += c;
      }
    }
    end();
    if (given("fill") == "none")
      stroke(shape);
    else
      fill(shape);
  }

  void text(const std::string& latin) {
    const double width = width_of(latin);
    const std::string anchor = given("text-anchor");
    const double before = anchor == "end" ? width : anchor == "middle" ? width / 2 : 0;
    const std::string shown = " BT /F 12 Tf 1 0 0 -1 " + pixels(number("x") - before) + " " +
                              pixels(number("y")) + " Tm ";
    if (halo_)
      body_ += "q 1 1 1 RG 3 w 1 j" + shown + "1 Tr " + in_parentheses(latin) + " Tj ET Q\n";
    body_ +=
        "q " + colour_text(given("fill")) + " rg" + shown + in_parentheses(latin) + " Tj ET Q\n";
  }

  std::string body_;
  std::vector<std::string> opacities_;
  const Attributes* attributes_ = nullptr;
  bool halo_ = false;
};

// Objects 1, 2, ... with the table of their places.
std::string file_of(const std::vector<std::string>& objects) {
  std::string out = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", places;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::array<char, 24> place{};
    std::snprintf(place.data(), place.size(), "%010zu 00000 n \n", out.size());
    places += place.data();
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string count = std::to_string(objects.size() + 1);
  return out + "xref\n0 " + count + "\n0000000000 65535 f \n" + places + "trailer\n<< /Size " +
         count + " /Root 1 0 R >>\nstartxref\n" + std::to_string(out.size()) + "\n%%EOF\n";
}

}  // namespace

std::string pdf_of(std::string_view svg) {
  Drawing drawing;
  std::string width, height;
  for (auto open = svg.find('<'); open != std::string_view::npos; open = svg.find('<', open + 1)) {
    const auto close = svg.find('>', open);
    if (close == std::string_view::npos) break;
    Element element = element_of(svg.substr(open + 1, close - open - 1));
    element.text = svg.substr(close + 1, std::min(svg.find('<', close), svg.size()) - close - 1);
    if (element.name == "svg")
      width = element.attributes["width"], height = element.attributes["height"];
    drawing.draw(element);
  }
  const std::string content = "1 0 0 -1 0 " + height + " cm\n" + drawing.body();
  std::string states;
  for (std::size_t i = 0; i < drawing.opacities().size(); ++i)
    states += "/G" + std::to_string(i) + " << /ca " + drawing.opacities()[i] + " >> ";
  return file_of(
      {"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
       "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 " + width + " " + height +
           "] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> /ExtGState << " + states +
           ">> >> >>",
       "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
       "<< /Length " + std::to_string(content.size()) + " >>\nstream\n" + content + "endstream"});
}

}  // namespace hone::study
