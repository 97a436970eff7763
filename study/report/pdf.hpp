// A figure as PDF, for documents that include no SVG.
#pragma once

#include <string>
#include <string_view>

namespace hone::study {

// One page of the size of the figure, in vectors and the reader's Helvetica: characters outside of
// Latin-1 become question marks. `svg` is a document of svg.hpp. Other elements are left out.
std::string pdf_of(std::string_view svg);

}  // namespace hone::study
